"""The built files of the page and the pictures of games, read when the server starts.

No other file can be requested.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


@dataclass(frozen=True)
class PageFile:
    """A file of the page; media_type : its type.   tag : changes with the content."""

    content: bytes
    media_type: str
    tag: str


def page_files() -> dict[str, PageFile]:
    """Return the files by the paths at which they are served."""
    found = {}
    for folder, place in (("static", "/"), ("pictures", "/pictures/")):
        for file in resources.files("branchwise.web").joinpath(folder).iterdir():
            if not file.is_file() or file.name.startswith("."):
                continue
            content = file.read_bytes()
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            found["/" if file.name == "index.html" else f"{place}{file.name}"] = PageFile(content, kind, tag)
    return found


def page_routes() -> list[Route]:
    """Return a route for each file."""
    return [Route(path, _endpoint(file), methods=["GET"], name=path) for path, file in page_files().items()]


def _endpoint(file: PageFile) -> Callable[[Request], Awaitable[Response]]:
    headers = {"etag": file.tag, "cache-control": "no-cache", "content-security-policy": _POLICY}

    async def serve(request: Request) -> Response:
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.media_type, headers=headers)

    return serve
