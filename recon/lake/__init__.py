"""The lake: evidence and typed records as Parquet, made visible by commit records."""

from recon.lake.commits import Commit, Overtaken, StoredFile
from recon.lake.lake import Lake
from recon.lake.pages import Page
from recon.lake.writing import Writing

__all__ = ["Commit", "Lake", "Overtaken", "Page", "StoredFile", "Writing"]
