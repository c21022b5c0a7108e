"""A kept conversation as a file for other programs: Markdown, JSON, or sound."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import tempfile
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import numpy as np

from app.history import sound
from app.history.records import Message, Side, Summary
from app.history.store import Store

JSON_VERSION = 1
_PAUSE_S = 0.6


class ExportError(Exception):
    """One sentence for the user."""


def export(store: Store, conversation: str, file: Path) -> None:
    """Write `conversation` to `file`, as its ending says: .md, .json, or .flac and .wav for the sound.

    Raises `ExportError`, sqlite3.Error.
    """
    summary = store.summary(conversation)
    messages = store.messages(conversation)
    if summary is None or not messages:
        raise ExportError("There is nothing to export yet: this conversation is empty.")
    ending = file.suffix.lower()
    if ending == ".json":
        content = as_json(summary, messages).encode()
    elif ending in (".wav", ".flac"):
        content = _sound(store, messages, ending[1:].upper())
    else:
        content = as_markdown(summary, messages).encode()
    try:
        _write(file, content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ExportError(f"{file.name} could not be written: {reason}.") from error


def as_markdown(summary: Summary, messages: list[Message]) -> str:
    """The conversation for reading; where an answer was cut short, the words nobody heard are struck out."""
    lines = [f"# {_plain(summary.title) or 'Conversation'}", "", f"*{_moment(summary.begun):%A, %d %B %Y}*", ""]
    for message in messages:
        who = "You" if message.side == Side.USER else "Banter"
        text = _plain(message.spoken)
        if message.interrupted:
            text += (f" ~~{_plain(message.unheard)}~~" if message.unheard else "") + " *(interrupted)*"
        lines += [f"**{who}** · {_moment(message.time):%H:%M}  ", text or "*(spoken)*", ""]
        if message.picture:
            lines += [f"![picture](data:image/jpeg;base64,{_base64(message.picture)})", ""]
        for use in message.tools:
            what = f"{use.tool.replace('_', ' ')}: {use.state}" + (f", {use.summary}" if use.summary else "")
            lines += [f"> {_plain(what)}", ""]
    return "\n".join(lines)


def as_json(summary: Summary, messages: list[Message]) -> str:
    """The conversation for programs. `heard` is the part of an answer that was spoken before it was cut."""
    record = {
        "format": "banter-conversation",
        "version": JSON_VERSION,
        "title": summary.title,
        "begun": _moment(summary.begun).isoformat(timespec="seconds"),
        "messages": [
            {
                "time": _moment(message.time).isoformat(timespec="milliseconds"),
                "who": str(message.side),
                "text": message.text,
                "heard": message.spoken,
                "interrupted": message.interrupted,
                "voice": message.voice,
                **({"tools": [asdict(use) for use in message.tools]} if message.tools else {}),
                # A JPEG file.
                **({"picture": _base64(message.picture)} if message.picture else {}),
            }
            for message in messages
        ],
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def _sound(store: Store, messages: list[Message], kind: str) -> bytes:
    import io

    import soundfile

    pieces: list[sound.Samples] = []
    rate = 0
    for message in messages:
        flac = store.sound(message.key) if message.sound else None
        if flac is None:
            continue
        samples, its_rate = sound.unpack(flac)
        # All answers of a model have one rate; a change of models is no reason to play some too fast.
        if rate in (0, its_rate):
            rate = its_rate
            pieces += [samples, np.zeros(int(_PAUSE_S * rate), np.float32)]
    if not pieces:
        raise ExportError("No sound was kept of this conversation: switch keeping it on for the next one.")
    file = io.BytesIO()
    soundfile.write(file, np.concatenate(pieces[:-1]), rate, format=kind, subtype="PCM_16")
    return file.getvalue()


def _plain(text: str) -> str:
    """`text` with the signs that mean something to Markdown taken as they are."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#~|" else sign for sign in text)


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds).astimezone()


def _write(file: Path, content: bytes) -> None:
    """The file is either the old one or the new one, never a half."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
        os.replace(name, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
