"""Numbers as the page writes them."""

MINUS = "\N{MINUS SIGN}"


def number(text: str) -> float:
    """Return the number in a text of the page, which may have a minus sign and commas.

    >>> number(f" {MINUS}1,234.5 ")
    -1234.5
    """
    return float(text.strip().replace(MINUS, "-").replace(",", ""))
