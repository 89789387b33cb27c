"""Finding programs that a test needs, and saying why it is skipped without them."""

import os
import re
import shutil

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
"""Debian has games in a folder that is not on every user's path."""


def missing(commands):
    """Return why a test cannot be run that needs the programs of these commands, or None."""
    for command in commands:
        name = command.split()[0]
        if shutil.which(name, path=PATH) is None:
            return f"{name} is not installed"
    return None


def programs_in(text):
    """Return the commands of programs that a command line names as bots.

    >>> programs_in('''branchwise match go "gtp(command='gnugo --mode gtp')" random''')
    ['gnugo --mode gtp']
    """
    return re.findall(r"(?:gtp|uci)\(command='([^']+)'", text)
