"""Signs that nobody sees around a cell's text, and how it is spelt without them."""

_UNSEEN = (
    "\ufeff"  # byte-order mark
    "\u200b\u200c\u200d\u2060"  # of no width
    "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def unmarked(text: str) -> str:
    """Return a text without spaces, marks of direction or of byte order around it."""
    bare = text.strip()
    if bare.isascii():
        return bare
    while (shorter := bare.strip(_UNSEEN).strip()) != bare:
        bare = shorter
    return bare
