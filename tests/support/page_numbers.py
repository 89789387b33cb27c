"""Numbers as the page writes them."""

MINUS = "\N{MINUS SIGN}"


def number(text: str) -> float:
    """Return the number that a text of the page says, with its minus sign and its commas.

    >>> number(f" {MINUS}1,234.5 ")
    -1234.5
    """
    return float(text.strip().replace(MINUS, "-").replace(",", ""))
