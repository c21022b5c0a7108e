"""Where the larger model is, and whether that is this computer."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

DEFAULT = "http://localhost:11434"
_MOST = 300
_ENDINGS = ("/chat/completions", "/models")


class BrainError(Exception):
    """One sentence for the user that says what to do."""


@dataclass(frozen=True)
class Address:
    """The root of the protocol: `path` begins with a slash and ends in `/v1`."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def is_here(self) -> bool:
        """Whether what is sent there stays on this computer. A name that has to be looked up may be anywhere."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def name(self) -> str:
        """The computer and the door, as people write them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def read_address(text: str) -> Address:
    """The address in `text`, as "localhost:11434" or "https://brain.home/v1". Raises BrainError."""
    text = text.strip()
    wrong = BrainError(f"This is no address of a chat program: write one like {DEFAULT}.")
    if not text or len(text) > _MOST or not text.isprintable() or " " in text:
        raise wrong
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError as error:
        raise wrong from error
    if parts.scheme not in ("http", "https") or not host or parts.username is not None:
        raise wrong
    if parts.query or parts.fragment or port == 0:
        raise wrong
    path = parts.path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    if not path.endswith("/v1"):
        path += "/v1"
    secure = parts.scheme == "https"
    return Address(secure, host, port or (443 if secure else 80), path)


def usable_address(text: str, anywhere: bool) -> Address:
    """The address in `text`, which must be this computer unless `anywhere`. Raises BrainError."""
    address = read_address(text)
    if not address.is_here and not anywhere:
        raise BrainError(
            f"{address.host} is another computer: allow that in the settings, or use an address of this one."
        )
    return address
