"""A guard: every attempt to reach a network is refused and noted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def no_connections(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """Refuse to connect, to send without a connection and to ask for an address; returns what was tried.

    Sockets within the computer that are no network (`AF_UNIX`) go on working.
    """
    tried: list[Any] = []

    class Guarded(socket.socket):
        def _refuse(self, what: str, address: Any) -> None:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                tried.append((what, address))
                raise OSError(f"the test forbids to {what} {address}")

        def connect(self, address: Any, /) -> None:
            self._refuse("connect to", address)
            super().connect(address)

        def connect_ex(self, address: Any, /) -> int:
            self._refuse("connect to", address)
            return super().connect_ex(address)

        def sendto(self, *args: Any) -> int:
            self._refuse("send to", args[-1])
            return super().sendto(*args)

    def no_address(host: Any, *args: Any, **kwargs: Any) -> Any:
        tried.append(("look up", host))
        raise socket.gaierror(socket.EAI_FAIL, f"the test forbids to look up {host}")

    monkeypatch.setattr(socket, "socket", Guarded)
    monkeypatch.setattr(socket, "getaddrinfo", no_address)
    return lambda: list(tried)
