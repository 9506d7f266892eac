"""Events of the escrow service: received, stored, doubted, confirmed."""
