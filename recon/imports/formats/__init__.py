"""Readers of file formats: bytes in, rows of cells with their line out."""
