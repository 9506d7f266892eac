"""Routes of the sandbox, one module a part of the contract."""
