"""Errors that the engine shows to people: one clear sentence each."""

from __future__ import annotations

from app.speech.errors import DamagedModelError as DamagedModelError


class SayError(ValueError):
    """A text that cannot be said; the message says why and what to do."""


class TurnTooLongError(Exception):
    """The question does not fit the model's context."""


class BlindModelError(ValueError):
    """The model was asked about a picture and cannot see; the message says why and what to do."""
