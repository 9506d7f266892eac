"""The bank's entries: which of them are deposits and settlements of the wallet."""
