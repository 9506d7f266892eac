"""Reconciliation and analytics for a business and its payment provider."""

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """Give a notebook `%recon` and `%%reconsql`: `%load_ext recon`."""
    from recon import notebook  # noqa: PLC0415 - the stack loads only where it is used

    notebook.load_ipython_extension(shell)
