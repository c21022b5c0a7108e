"""Brings one file from a hub, whatever the network does.

`huggingface_hub` has a downloader too, but it cannot be paused or cancelled (it sleeps and reads without looking up,
and its fast path is native code), it compares no hash, it knows only one kind of hub, and what it leaves half done is
its own secret. So it is asked what there is (`sources`), and the bytes are streamed here, with `httpx2`, the library
that it brings along.

A file on its way is `NAME.HASH.part` beside its place. The hash in the name ties it to one content, so it is never
continued with the bytes of another one; it becomes NAME only when size and hash are right, and is deleted when they
are not, so a bad partial file never stands in the way.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import httpx2

from app.hub.checks import digest_of, has_sound_frame
from app.hub.control import Control
from app.hub.errors import HubError, disk_error
from app.hub.retry import USUAL, Busy, Patience, is_passing, wait_wanted
from app.hub.sources import RemoteFile

_MOST_REDIRECTS = 10
_WRONG_TRIES = 2

Tell = Callable[[str], None]


class _Wrong(Exception):
    """What came is not the file; the partial one is of no use."""


def client(patience: Patience = USUAL) -> httpx2.Client:
    """A client for `fetch`. Raises HubError where the proxy that the system names cannot be used."""
    timeout = httpx2.Timeout(patience.read, connect=patience.connect)
    try:
        return httpx2.Client(
            follow_redirects=True,
            max_redirects=_MOST_REDIRECTS,
            timeout=timeout,
            headers={"User-Agent": "Banter", "Accept-Encoding": "identity"},
        )
    except (ValueError, ImportError) as error:
        raise HubError(f"The proxy of this computer cannot be used: {error}.") from error


def partial_file(file: RemoteFile, target: Path) -> Path:
    """Where `file` is while it is on its way to `target`."""
    known = file.digest.value[:16] if file.digest is not None else str(file.size)
    return target.with_name(f"{target.name}.{known}.part")


def fetch(
    web: httpx2.Client,
    file: RemoteFile,
    target: Path,
    control: Control,
    patience: Patience = USUAL,
    *,
    moved: Callable[[int], None],
    waiting: Tell = lambda sentence: None,
    chance: Random | None = None,
) -> None:
    """Bring `file` to `target`, going on where an earlier attempt ended.

    `moved` gets the change of the bytes that are there (negative where some are given up), `waiting` the reason while
    nothing moves and "" when it goes on. Raises HubError, and Stopped where `control` says so; the partial file stays.
    """
    chance = chance or Random()
    part = partial_file(file, target)
    failures = wrong = 0
    while True:
        control.check()
        try:
            before = _there(part, file, moved)
            if before < file.size or not part.exists():
                _stream(web, file, part, control, patience, moved)
            if _is_right(part, file, control):
                part.replace(target)
                return
            raise _Wrong(_differs(file))
        except _Wrong as error:
            _give_up(part, moved)
            wrong += 1
            if wrong >= _WRONG_TRIES:
                raise HubError(str(error)) from error
        except Busy as error:
            control.check()
            failures = 1 if _size(part) > before else failures + 1
            if failures >= patience.tries:
                raise HubError(str(error)) from error
            waiting(str(error))
            control.wait(patience.wait(failures, error.seconds, chance))
            waiting("")
        except OSError as error:
            control.check()
            raise disk_error(part, error) from error


def _stream(
    web: httpx2.Client, file: RemoteFile, part: Path, control: Control, patience: Patience, moved: Callable[[int], None]
) -> None:
    """One request. Raises Busy where it may work the next time."""
    have = _size(part)
    hub = urlsplit(file.url).netloc
    headers = {"Range": f"bytes={have}-"} if have else {}
    extensions = {"trace": _watch(control)}
    try:
        with web.stream("GET", file.url, headers=headers, extensions=extensions) as answer:
            goes_on = _goes_on(answer, file, have, hub)
            if not goes_on:
                moved(-have)
            with part.open("ab" if goes_on else "wb") as out:
                _copy(answer, out, file, have if goes_on else 0, control, patience, moved)
    except httpx2.TooManyRedirects as error:
        raise HubError(f"{hub} sends from one address to the next without end: choose another mirror.") from error
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
        raise HubError(f"{hub} sends to an address that cannot be used: choose another mirror.") from error
    except httpx2.TimeoutException as error:
        raise Busy(f"{hub} does not answer: check the network, or choose another mirror.") from error
    except httpx2.ConnectError as error:
        raise Busy(f"{hub} cannot be reached: check the network, or choose another mirror.") from error
    except httpx2.HTTPError as error:
        raise Busy(f"The connection to {hub} was cut: check the network and try again.") from error
    if _size(part) < file.size:
        raise Busy(f"The connection to {hub} was cut: check the network and try again.")


def _goes_on(answer: httpx2.Response, file: RemoteFile, have: int, hub: str) -> bool:
    """Whether the answer continues the partial file; False: it begins anew. Raises for any that is not the file."""
    status, headers = answer.status_code, answer.headers
    if status == 416:
        raise _Wrong(_differs(file))
    if is_passing(status):
        raise Busy(f"{hub} is busy ({status}): try again later.", wait_wanted(headers))
    if status in (401, 403):
        raise HubError(f"{hub} does not give {file.path} away ({status}): choose another mirror.")
    if status not in (200, 206):
        raise HubError(f"{hub} has no {file.path} ({status}): choose another mirror.")
    start = 0
    if status == 206:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("content-range", ""))
        if found is None or int(found[1]) != have or found[2] not in ("*", str(file.size)):
            raise _Wrong(_differs(file))
        start = have
    length = headers.get("content-length", "")
    as_it_is = headers.get("content-encoding", "identity") == "identity"
    if as_it_is and length.isdigit() and int(length) == file.size - start:
        return status == 206
    page = headers.get("content-type", "").startswith("text/html") and not file.path.endswith((".html", ".htm"))
    if page:
        raise HubError(
            f"{hub} sent a web page instead of {file.path}: log in to this network, or choose another mirror."
        )
    if as_it_is and length.isdigit():
        raise HubError(f"{hub} has another {file.path} than the one that it announces: choose another mirror.")
    return status == 206


def _copy(
    answer: httpx2.Response,
    out: BinaryIO,
    file: RemoteFile,
    have: int,
    control: Control,
    patience: Patience,
    moved: Callable[[int], None],
) -> None:
    since, recently = time.monotonic(), 0
    # As they come: a larger piece would be lost where the connection is cut before it is full.
    for chunk in answer.iter_bytes():
        control.check()
        have += len(chunk)
        if have > file.size:
            raise _Wrong(_differs(file))
        out.write(chunk)
        moved(len(chunk))
        recently += len(chunk)
        now = time.monotonic()
        if now - since >= patience.slow_s:
            if recently < patience.least_bytes:
                raise Busy(f"{answer.url.host} is too slow: try again later, or choose another mirror.")
            since, recently = now, 0


def _watch(control: Control) -> Callable[[str, dict[str, Any]], None]:
    """Tells `control` of every connection as soon as it is made, before anything is waited for."""

    def trace(name: str, info: dict[str, Any]) -> None:
        if name.endswith(("connect_tcp.complete", "start_tls.complete")):
            control.opened(info["return_value"].get_extra_info("socket"))

    return trace


def _there(part: Path, file: RemoteFile, moved: Callable[[int], None]) -> int:
    size = _size(part)
    if size > file.size:
        _give_up(part, moved)
        return 0
    return size


def _give_up(part: Path, moved: Callable[[int], None]) -> None:
    moved(-_size(part))
    part.unlink(missing_ok=True)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _is_right(part: Path, file: RemoteFile, control: Control) -> bool:
    if _size(part) != file.size:
        return False
    if file.digest is None:
        return has_sound_frame(part, file.path)
    return digest_of(part, file.digest.kind, control) == file.digest.value


def _differs(file: RemoteFile) -> str:
    return f"{file.path} differs from what was published: try again, or choose another mirror."
