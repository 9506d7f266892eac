"""The provider's endpoints, one module a product, over one careful client."""
