"""The checks in Persian: the name of each, and what to do when it fires."""

PERSIAN: dict[str, tuple[str, str]] = {}
