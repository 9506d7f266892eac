"""What the provider sends and what is sent to it, one module a product."""
