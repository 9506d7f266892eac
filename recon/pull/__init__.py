"""From the provider into the lake, one module a source."""
