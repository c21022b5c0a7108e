"""Errors that the engine shows to people: one clear sentence each."""

from __future__ import annotations


class DamagedModelError(Exception):
    """A model folder is incomplete, damaged or of another kind; the message says what to do."""
