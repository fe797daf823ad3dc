"""Words for people."""


def counted(count: int | str, thing: str) -> str:
    """How many there are: "1 table", "8 tables"."""
    return f"{count} {thing}" if int(count) == 1 else f"{count} {thing}s"
