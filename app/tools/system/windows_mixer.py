"""The volume on Windows, by the Core Audio interfaces, which ctypes calls through their tables of methods."""

from __future__ import annotations

import ctypes
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.tools.system.mixers import Level, MixerError

_ENUMERATOR_CLASS = "BCDE0395-E52F-467C-8E3D-C4579291692E"
_ENUMERATOR = "A95664D2-9614-4F35-A746-DE8DB63617E6"
_ENDPOINT_VOLUME = "5CDF2C82-841E-4546-9722-0CF74078229A"
_CLSCTX_ALL = 23
_RENDER, _CONSOLE = 0, 0
# Places in the tables of methods; every table begins with QueryInterface, AddRef and Release.
_RELEASE = 2
_GET_DEFAULT_ENDPOINT = 4
_ACTIVATE = 3
_SET_SCALAR, _GET_SCALAR = 7, 9
_SET_MUTE, _GET_MUTE = 14, 15


class WindowsMixer:
    """The default output for programs."""

    def read(self) -> Level:
        scalar, muted = ctypes.c_float(), ctypes.c_int()
        with _endpoint_volume() as volume:
            _call(volume, _GET_SCALAR, (ctypes.c_void_p,), ctypes.byref(scalar))
            _call(volume, _GET_MUTE, (ctypes.c_void_p,), ctypes.byref(muted))
        return Level(round(scalar.value * 100), bool(muted.value))

    def write(self, level: Level) -> None:
        with _endpoint_volume() as volume:
            _call(volume, _SET_SCALAR, (ctypes.c_float, ctypes.c_void_p), level.percent / 100, None)
            _call(volume, _SET_MUTE, (ctypes.c_int, ctypes.c_void_p), int(level.muted), None)


@contextmanager
def _endpoint_volume() -> Iterator[ctypes.c_void_p]:
    ole32: Any = ctypes.OleDLL("ole32")  # type: ignore[attr-defined,unused-ignore]
    opened: list[ctypes.c_void_p] = []

    def result() -> ctypes.c_void_p:
        opened.append(ctypes.c_void_p())
        return opened[-1]

    try:
        ole32.CoInitializeEx(None, 0)
        begun = True
    except OSError:
        # This thread has it in another mode already, which serves as well.
        begun = False
    try:
        enumerator = result()
        ole32.CoCreateInstance(
            _guid(_ENUMERATOR_CLASS), None, _CLSCTX_ALL, _guid(_ENUMERATOR), ctypes.byref(enumerator)
        )
        device = result()
        numbers = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
        _call(enumerator, _GET_DEFAULT_ENDPOINT, numbers, _RENDER, _CONSOLE, ctypes.byref(device))
        volume = result()
        kinds = (ctypes.c_char_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
        _call(device, _ACTIVATE, kinds, _guid(_ENDPOINT_VOLUME), _CLSCTX_ALL, None, ctypes.byref(volume))
        yield volume
    except OSError as error:
        raise MixerError(str(error)) from error
    finally:
        for one in reversed(opened):
            if one:
                _call(one, _RELEASE, ())
        if begun:
            ole32.CoUninitialize()


def _guid(text: str) -> bytes:
    return uuid.UUID(text).bytes_le


def _call(instance: ctypes.c_void_p, place: int, kinds: tuple[Any, ...], *values: Any) -> None:
    """Call the method at `place` of the table of `instance`. Raises OSError."""
    table = ctypes.cast(instance, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    prototype = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)
    method = prototype(ctypes.c_long, ctypes.c_void_p, *kinds)(table[place])
    code = method(instance, *values)
    if place != _RELEASE and code < 0:
        raise OSError(f"Windows says {code & 0xFFFFFFFF:#010x}")
