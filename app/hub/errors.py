"""What can go wrong with models on their way to this computer. Each message is one sentence for the user."""

from __future__ import annotations

import errno
from pathlib import Path


class HubError(Exception):
    """Something about a model could not be done; the message says what to do about it."""


class OfflineError(HubError):
    """The network may not be used."""

    def __init__(self) -> None:
        super().__init__("Banter is to stay offline: allow it to use the network, or import the model from a folder.")


class NoSpaceError(HubError):
    """The disk has not enough room."""


class Stopped(Exception):
    """The work was stopped, paused or cancelled; not a failure."""


def disk_error(path: Path, error: OSError) -> HubError:
    """The sentence for a file that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpaceError("The disk is full: free some space and try again; what is here already is kept.")
    reason = error.strerror or type(error).__name__
    return HubError(f"{path} cannot be written ({reason}).")
