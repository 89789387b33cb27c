"""Who may speak to the server: pages of its own, and those that were named when it was started.

A page of another origin could otherwise play here through its visitor's browser, and a host name that is made
to point to this machine (DNS rebinding) would look like an origin of its own.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Guard:
    """Checks the headers of requests.

    hosts : names, besides localhost and addresses in numbers, by which the server may be called.
    origins : of other pages that may speak to it, such as "http://localhost:3000".

    >>> guard = Guard(hosts=["play.example.org"])
    >>> guard.refusal({"host": "127.0.0.1:8642", "origin": "http://127.0.0.1:8642"})
    >>> guard.refusal({"host": "127.0.0.1:8642", "origin": "http://evil.example"})
    'pages of http://evil.example may not speak to this server'
    >>> guard.refusal({"host": "rebound.example:8642"})
    'this server is not called rebound.example'
    >>> guard.refusal({"host": "127.0.0.1:8642", "sec-fetch-site": "cross-site"}, "/api/games")
    'pages of other sites may not speak to this server'
    """

    hosts: Collection[str] = ()
    origins: Collection[str] = ()

    def refusal(self, headers: Mapping[str, str], path: str = "/") -> str | None:
        """Return why a request for `path` with these headers is refused, None if it is not.

        A browser names the origin of a page that sends data, but not of one that includes a picture or a
        script from here; of that it says that it belongs to another site. A link may lead to the page itself.
        """
        host = headers.get("host", "")
        name = _host_name(host)
        if name is None or not self._is_ours(name):
            return f"this server is not called {(name or host)[:100]}"
        origin = headers.get("origin")
        if origin is not None and origin in self.origins:
            return None
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and path.startswith("/api/"):
            return f"pages of {origin[:100] if origin else 'other sites'} may not speak to this server"
        if origin is None:
            return None
        try:
            parts = urlsplit(origin)
            same = parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
        except ValueError:
            same = False
        return None if same else f"pages of {origin[:100]} may not speak to this server"

    def _is_ours(self, name: str) -> bool:
        if name == "localhost" or name.endswith(".localhost") or name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _host_name(host: str) -> str | None:
    """Return the name in a Host header, without the port; None if it cannot be read."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
