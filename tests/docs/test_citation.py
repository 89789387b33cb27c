"""CITATION.cff has what version 1.2.0 of the format requires, and the version that is released."""

import re
from pathlib import Path

import branchwise as bw

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
FIELDS = dict(re.findall(r"^([a-z-]+): *(.*)$", TEXT, re.MULTILINE))


def test_it_has_the_fields_that_the_format_requires_and_no_unknown_ones():
    assert {"cff-version", "message", "title", "authors"} <= FIELDS.keys()
    assert FIELDS["cff-version"] == "1.2.0"
    assert FIELDS["type"] in ("software", "dataset")
    assert re.search(r"^authors:\n  - name: \S", TEXT, re.MULTILINE)
    optional = {"abstract", "date-released", "keywords", "license", "type", "version"}
    assert FIELDS.keys() <= optional | {"cff-version", "message", "title", "authors"}


def test_version_and_date_are_those_of_the_newest_release_in_the_changelog():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version, date = re.findall(r"^## \[(\d[^]]*)\] - (\S+)$", changes, re.MULTILINE)[0]
    assert FIELDS["version"] == version == bw.__version__
    assert FIELDS["date-released"] == f'"{date}"'
