"""Signatures of states that clients send back, so that the server searches only states that it has made.

Compiled rules trust their state. A forged state could let them read or write outside their arrays.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import Any

from branchwise.common.errors import GameError
from branchwise.game.rules_class import Game

SIGNATURE = "signature"


class Signer:
    """Signs states with a key that lasts as long as the server.

    trusting : whether states without a signature are accepted too.

    >>> from branchwise.games.nim import Nim
    >>> signer, state = Signer(), Nim.from_actions(["3"])
    >>> signer.opened(Nim, signer.signed(state)) == state
    True
    """

    def __init__(self, *, trusting: bool = False) -> None:
        self._key = secrets.token_bytes(32)
        self._trusting = trusting

    def signed(self, state: Game) -> dict[str, Any]:
        """Return a state as plain values, with its signature."""
        content: dict[str, Any] = json.loads(state.to_json())
        return {**content, SIGNATURE: self._signature(content)}

    def opened(self, game: type[Game], given: dict[str, Any]) -> Game:
        """Return the state that `signed` wrote. Raises `GameError` for other states and other games."""
        content = {name: value for name, value in given.items() if name != SIGNATURE}
        signature = given.get(SIGNATURE)
        if not self._trusting:
            known = isinstance(signature, str) and hmac.compare_digest(
                signature.encode(), self._signature(content).encode()
            )
            if not known:
                raise GameError(
                    "this running server has not signed this state",
                    mend="send the moves from the start, or a state exactly as the server sent it; with "
                    "--trust-states it accepts any",
                )
        return game.from_json(json.dumps(content))

    def _signature(self, content: dict[str, Any]) -> str:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
