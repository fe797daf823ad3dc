"""The base of every failure that a person can do something about.

A command prints the text of such an error as one line and exits. Anything else is a defect and
shows its traceback.
"""


class PlainError(Exception):
    """Its text is all that a person needs to know: what is wrong, and what to do about it."""
