"""A media player on a private D-Bus, as a desktop's player offers itself by MPRIS."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

from app.tools.system.media import NAMES, PLAYER

_AFTER = {"Play": "Playing", "Pause": "Paused"}


class Player:
    """Answers on a thread of its own. `deaf` players never answer, `stubborn` ones refuse every command."""

    def __init__(self, address: str, name: str, state: str, *, deaf: bool = False, stubborn: bool = False) -> None:
        from jeepney import message_bus
        from jeepney.io.blocking import open_dbus_connection

        self.state = state
        self.pressed: list[str] = []
        self._deaf = deaf
        self._stubborn = stubborn
        self._quit = False
        self._bus = open_dbus_connection(address)
        self._bus.send_and_get_reply(message_bus.RequestName(NAMES + name))
        self._thread = threading.Thread(target=self._serve, name=f"player {name}")

    def __enter__(self) -> Player:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._quit = True
        self._thread.join()
        self._bus.close()

    def _serve(self) -> None:
        while not self._quit:
            try:
                message = self._bus.receive(timeout=0.05)
            except TimeoutError:
                continue
            except OSError:
                return
            if not self._deaf:
                self._answer(message)

    def _answer(self, message: Any) -> None:
        from jeepney import HeaderFields, MessageType, new_error, new_method_return

        if message.header.message_type != MessageType.method_call:
            return
        member = message.header.fields[HeaderFields.member]
        if member == "Get":
            assert message.body == (PLAYER, "PlaybackStatus")
            self._bus.send(new_method_return(message, "v", (("s", self.state),)))
        elif self._stubborn:
            self._bus.send(new_error(message, "org.freedesktop.DBus.Error.NotSupported"))
        else:
            self.pressed.append(member)
            self.state = _AFTER.get(member, self.state)
            self._bus.send(new_method_return(message))
