"""The guide's table of constructs that rules may not use is the one that errors quote."""

import re
from pathlib import Path

from branchwise.compile.language.unsupported import CONSTRUCTS

GUIDE = Path(__file__).parents[2] / "docs" / "compiled-rules.md"


def test_the_table_of_the_guide_is_the_one_that_errors_quote():
    text = GUIDE.read_text(encoding="utf-8")
    table = text.partition("<!-- constructs: begin")[2].partition("<!-- constructs: end -->")[0]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", table, re.MULTILINE)
    assert rows[1:] == [(row.instead_of, row.write) for row in CONSTRUCTS]
