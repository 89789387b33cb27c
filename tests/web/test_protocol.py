"""The declarations for the page are those of the messages."""

from pathlib import Path

from branchwise.web.protocol import messages
from branchwise.web.protocol.typescript import typescript

DECLARED = Path(__file__).parents[2] / "frontend" / "src" / "protocol.ts"


def test_declarations_are_up_to_date():
    assert DECLARED.read_text(encoding="utf-8") == typescript(), "write them anew: make protocol"


def test_every_message_is_declared():
    text = typescript()
    for kind in (*messages.SaidByPage.__args__, *messages.ToldByServer.__args__):
        assert f"export interface {kind.__name__} " in text
        assert f'type: "{kind.__struct_config__.tag}"' in text
