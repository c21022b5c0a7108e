"""Play, pause and skip in whatever player runs: MPRIS on Linux, the media keys elsewhere."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Any, Protocol

from app.tools.registry import load_descriptions
from app.tools.tool import Arguments, Result, Tool, ToolFailure

NAMES = "org.mpris.MediaPlayer2."
PATH = "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PATIENCE_S = 2.0
_METHODS = {"play": "Play", "pause": "Pause", "next": "Next", "previous": "Previous"}
_DONE = {"play": "playing", "pause": "paused", "next": "on the next track", "previous": "on the previous track"}


class Remote(Protocol):
    """Something that controls players."""

    def press(self, action: str) -> str:
        """Do "play", "pause", "next" or "previous"; returns what the player is then. Raises ToolFailure."""


def media_tool(remote: Remote | None = None) -> Tool:
    """`remote` None takes what this system has."""
    used = remote or (MprisRemote() if sys.platform.startswith("linux") else MediaKeys())

    def run(arguments: Arguments) -> Result:
        action = arguments["action"]
        state = used.press(action)
        return Result({"action": action, "spoken_state": state}, state)

    return Tool(load_descriptions()["media_control"], run)


class MprisRemote:
    """Players on the D-Bus of the session. `address` None is that of this session."""

    def __init__(self, address: str | None = None) -> None:
        self._address = address or "SESSION"

    def press(self, action: str) -> str:
        try:
            from jeepney import DBusErrorResponse
            from jeepney.io.blocking import open_dbus_connection

            bus = open_dbus_connection(self._address)
        except (ImportError, OSError, KeyError, ValueError, RuntimeError) as error:
            # No package, no bus, or an address that is none.
            raise ToolFailure("I cannot reach the media players on this computer.") from error
        with closing(bus):
            try:
                players = _players(bus)
                if not players:
                    raise ToolFailure("I found no media player that is running.")
                for name in _meant(action, players):
                    _call(bus, name, PLAYER, _METHODS[action])
            except (OSError, EOFError, DBusErrorResponse) as error:
                # A time-out is an OSError.
                raise ToolFailure("The media player did not respond to me.") from error
        return _DONE[action]


def _players(bus: Any) -> dict[str, str]:
    """The state of each player: "Playing", "Paused", "Stopped", "" where it does not say."""
    from jeepney import DBusErrorResponse, message_bus
    from jeepney.wrappers import unwrap_msg

    names = unwrap_msg(bus.send_and_get_reply(message_bus.ListNames(), timeout=PATIENCE_S))[0]
    states = {}
    for name in sorted(one for one in names if one.startswith(NAMES)):
        try:
            reply = _call(bus, name, "org.freedesktop.DBus.Properties", "Get", "ss", (PLAYER, "PlaybackStatus"))
        except DBusErrorResponse:
            states[name] = ""
            continue
        except TimeoutError:
            # It hangs, or is just going away.
            continue
        states[name] = str(reply[0][1])
    return states


def _meant(action: str, players: dict[str, str]) -> list[str]:
    """Whom to tell: all that play are paused, otherwise the one that is most likely listened to."""
    playing = [name for name, state in players.items() if state == "Playing"]
    if action == "pause":
        return playing or list(players)[:1]
    if playing:
        return playing[:1]
    order = ("Paused", "Stopped", "")
    return sorted(players, key=lambda name: order.index(players[name]) if players[name] in order else 3)[:1]


def _call(bus: Any, name: str, interface: str, method: str, signature: str = "", body: tuple[Any, ...] = ()) -> Any:
    from jeepney import DBusAddress, new_method_call
    from jeepney.wrappers import unwrap_msg

    address = DBusAddress(PATH, bus_name=name, interface=interface)
    message = new_method_call(address, method, signature or None, body)
    return unwrap_msg(bus.send_and_get_reply(message, timeout=PATIENCE_S))


class MediaKeys:
    """The keys of a keyboard, on Windows and macOS. One key both plays and pauses, and nobody answers."""

    def press(self, action: str) -> str:
        try:
            from pynput.keyboard import Controller, Key

            key = {"next": Key.media_next, "previous": Key.media_previous}.get(action, Key.media_play_pause)
            Controller().tap(key)
        except Exception as error:
            # pynput raises what the system's own interface does.
            raise ToolFailure("I could not press the media key on this computer.") from error
        return f"told to {action}" if action in ("play", "pause") else _DONE[action]
