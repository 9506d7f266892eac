"""The provider on loopback: a second, independent reading of the contract."""
