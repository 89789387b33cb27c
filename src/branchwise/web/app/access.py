"""Access to the server: for its own pages, and for origins named when it was started.

Otherwise a page of another origin could play here through its visitor's browser, and a host name that points
to this machine (DNS rebinding) would look like the server's own origin.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Guard:
    """Checks the headers of requests.

    hosts : host names, besides localhost and IP addresses, that requests may use.
    origins : origins of other pages that may connect, such as "http://localhost:3000".

    >>> guard = Guard(hosts=["play.example.org"])
    >>> guard.refusal({"host": "127.0.0.1:8642", "origin": "http://127.0.0.1:8642"})
    >>> guard.refusal({"host": "127.0.0.1:8642", "origin": "http://evil.example"})
    'pages of http://evil.example may not use this server'
    >>> guard.refusal({"host": "rebound.example:8642"})
    'this server is not called rebound.example'
    >>> guard.refusal({"host": "127.0.0.1:8642", "sec-fetch-site": "cross-site"}, "/api/games")
    'pages of other sites may not use this server'
    """

    hosts: Collection[str] = ()
    origins: Collection[str] = ()

    def refusal(self, headers: Mapping[str, str], path: str = "/") -> str | None:
        """Return why a request for `path` with these headers is refused, or None.

        A browser sends the origin of a page that sends data. For a page that includes a picture or a script
        from here, it only says that the page belongs to another site. A link may lead to the page itself.
        """
        host = headers.get("host", "")
        name = _host_name(host)
        if name is None or not self._is_ours(name):
            return f"this server is not called {(name or host)[:100]}"
        origin = headers.get("origin")
        if origin is not None and origin in self.origins:
            return None
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and path.startswith("/api/"):
            return f"pages of {origin[:100] if origin else 'other sites'} may not use this server"
        if origin is None:
            return None
        try:
            parts = urlsplit(origin)
            same = parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
        except ValueError:
            same = False
        return None if same else f"pages of {origin[:100]} may not use this server"

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
