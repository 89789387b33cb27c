"""Finding a browser; `python -m branchwise.web.app.browser` exits with 0 if one can show a page."""

from __future__ import annotations

import os
import sys
import webbrowser

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
_IN_TERMINALS = ("www-browser", "links", "elinks", "lynx", "w3m")


def graphical_browser() -> webbrowser.BaseBrowser | None:
    """Return the browser for opening pages; None without a browser or a screen.

    A browser named in $BROWSER always counts.
    """
    named = bool(os.environ.get("BROWSER"))
    if sys.platform.startswith("linux") and not named and not any(map(os.environ.get, _SCREENS)):
        return None
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return None
    in_terminal = os.path.basename(getattr(found, "name", "")) in _IN_TERMINALS
    return None if in_terminal and not named else found


if __name__ == "__main__":
    sys.exit(graphical_browser() is None)
