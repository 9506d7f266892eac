"""What explains a rest of the wallet: open items, cut-offs, signatures."""
