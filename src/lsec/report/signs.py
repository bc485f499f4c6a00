"""Signs that look like letters of the keyboard and are not."""

TIMES = "\N{MULTIPLICATION SIGN}"
MINUS = "\N{MINUS SIGN}"  # as wide as the plus sign
NONE = "\N{EN DASH}"  # in place of a number


def signed(change: float) -> str:
    """Write a difference of two scores.

    >>> signed(0.5), len(signed(-12.25))
    ('+0.50', 6)
    """
    return f"{change:+.2f}".replace("-", MINUS)
