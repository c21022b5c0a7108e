"""Downloads from a real server that misbehaves: whatever it does, what is here in the end is right, or nothing is."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.hub import manifest, transfer
from app.hub.control import Control
from app.hub.download import RESERVE, Download, Means, Progress
from app.hub.errors import HubError, NoSpaceError, OfflineError, Stopped
from app.hub.library import Library, State
from app.hub.retry import Patience
from app.hub.sources import HuggingFace, ModelScope, RemoteFile, source_for
from tests.hub import server
from tests.hub.material import HASTY, MODEL, PARTS, fill, library, noise, published
from tests.hub.server import Gate, Hub

WEIGHTS = "pytorch_model.bin"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with server.running() as hub:
        fill(hub)
        yield hub


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return library(tmp_path)


def download(
    shelf: Library, hub: Hub, id: str = MODEL, control: Control | None = None, tell: Any = None, **means: Any
) -> Path:
    chosen = Means(HuggingFace(hub.address), patience=HASTY, **means)
    return Download(shelf, id, chosen, control or Control(), tell or (lambda progress: None)).run()


def assert_whole(shelf: Library, id: str = MODEL) -> None:
    """Everything of the model is there as it was published, and nothing else is."""
    folder = shelf.root / id
    assert shelf.entry(id).state == State.HERE and shelf.verify(id) == []
    repos = published()
    for name, content in repos[f"jingyaogong/{id}"].items():
        assert (folder / name).exists() == (not name.endswith(".py"))
        if not name.endswith(".py"):
            assert (folder / name).read_bytes() == content
    for part in PARTS:
        repo = repos[f"jingyaogong/{shelf.catalogue.parts[part].huggingface.partition('/')[2]}"]
        for name, content in repo.items():
            assert (folder / part / name).read_bytes() == content
    incoming = shelf.root / ".incoming"
    assert not [path for path in incoming.rglob("*") if path.is_file()]


# --- all goes well


def test_a_model_comes_with_its_parts_in_one_folder(shelf: Library, hub: Hub) -> None:
    seen: list[Progress] = []
    assert shelf.entry(MODEL).state == State.ABSENT
    assert download(shelf, hub, tell=seen.append) == shelf.root / MODEL
    assert_whole(shelf)
    total = seen[-1].total
    assert seen[-1].done == total > 700_000
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    files = {p.file for p in seen if p.file_total}
    assert WEIGHTS in files and all(p.file_done <= p.file_total for p in seen if p.file_total)
    kept = manifest.read(shelf.root / MODEL)
    assert kept is not None and kept.commit == hub.commit and kept.parts == PARTS
    assert f"{hub.address.partition('//')[2]}/jingyaogong/minimind-3o" == kept.source


def test_parts_are_fetched_and_stored_once(shelf: Library, hub: Hub) -> None:
    download(shelf, hub)
    before = shelf.disk_use()
    hub.requests.clear()
    download(shelf, hub, "minimind-3o-moe")
    assert_whole(shelf, "minimind-3o-moe")
    assert not hub.asked_for("model.safetensors") and not hub.asked_for("am.mvn")
    here, there = (shelf.root / one / "mimi" / "model.safetensors" for one in (MODEL, "minimind-3o-moe"))
    assert os.path.samefile(here, there)
    assert shelf.disk_use() - before < 500_000


def test_modelscope_is_another_way(shelf: Library, hub: Hub) -> None:
    means = Means(ModelScope(hub.address), patience=HASTY)
    Download(shelf, MODEL, means, Control(), lambda progress: None).run()
    assert_whole(shelf)
    kept = manifest.read(shelf.root / MODEL)
    assert kept is not None and kept.source.endswith("/gongjy/minimind-3o")


def test_the_mirror_is_the_users_or_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert source_for("").endpoint == "https://huggingface.co"
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert source_for("").endpoint == "https://mirror.example"
    assert source_for("http://other.example").endpoint == "http://other.example"
    assert isinstance(source_for("modelscope"), ModelScope)
    with pytest.raises(HubError, match="no address of a mirror"):
        source_for("ftp://here")


# --- it misbehaves, and the download gets through


@pytest.mark.parametrize(
    "misdeeds",
    [
        # Each try brings half of the rest, which is enough not to give up.
        pytest.param([server.cut] * 9, id="cut nine times"),
        pytest.param([server.cut, server.no_range], id="range ignored"),
        pytest.param([server.cut, server.range_refused], id="range refused"),
        pytest.param([server.cut, server.other_range], id="another range"),
        pytest.param([server.status(429, retry_after="0")], id="429"),
        pytest.param([server.status(503), server.status(503)], id="503"),
        pytest.param([server.other_content], id="wrong bytes"),
        pytest.param([server.cut, server.status(500), server.cut], id="a bad day"),
        pytest.param([server.endless], id="too long"),
    ],
)
def test_it_gets_through(shelf: Library, hub: Hub, misdeeds: list[server.Misdeed]) -> None:
    hub.misbehave(WEIGHTS, *misdeeds)
    seen: list[Progress] = []
    download(shelf, hub, tell=seen.append)
    assert_whole(shelf)
    assert seen[-1].done == seen[-1].total and not hub.misdeeds[WEIGHTS]


def test_after_a_cut_only_the_rest_is_asked_for(shelf: Library, hub: Hub) -> None:
    hub.misbehave(WEIGHTS, server.cut)
    seen: list[Progress] = []
    download(shelf, hub, tell=seen.append)
    size = len(published()["jingyaogong/minimind-3o"][WEIGHTS])
    assert hub.asked_for(WEIGHTS) == [None, f"bytes={size // 2}-"]
    assert any("was cut" in progress.waiting for progress in seen) and seen[-1].waiting == ""


def test_the_listing_is_asked_for_again_too(shelf: Library, hub: Hub) -> None:
    hub.misbehave("listing", server.status(503), server.status(429, retry_after="0"))
    download(shelf, hub)
    assert_whole(shelf)


def test_a_hub_that_wants_time_gets_it(hub: Hub, tmp_path: Path) -> None:
    class Clock(Control):
        def __init__(self) -> None:
            super().__init__()
            self.waited: list[float] = []

        def wait(self, seconds: float) -> None:
            self.waited.append(seconds)

    hub.repos = {"a/b": {"f": noise(9_000, 1)}}
    hub.misbehave("f", server.status(429, retry_after="7"), server.status(503), server.status(503))
    file, clock = RemoteFile("f", 9_000, f"{hub.address}/a/b/resolve/x/f"), Clock()
    with transfer.client(HASTY) as web:
        transfer.fetch(web, file, tmp_path / "f", clock, Patience(first_wait=1.0), moved=lambda count: None)
    assert clock.waited[0] == 7.0
    assert 1.4 <= clock.waited[1] <= 2.0 and 2.8 <= clock.waited[2] <= 4.0


# --- it misbehaves too much: a sentence, and nothing in the way


@pytest.mark.parametrize(
    ("name", "misdeed", "times", "sentence"),
    [
        (WEIGHTS, server.status(404), 1, "has no pytorch_model.bin (404): choose another mirror."),
        (WEIGHTS, server.status(403), 1, "does not give pytorch_model.bin away (403)"),
        (
            WEIGHTS,
            server.web_page,
            1,
            "sent a web page instead of pytorch_model.bin: log in to this network, or",
        ),
        (WEIGHTS, server.other_size, 1, "has another pytorch_model.bin than the one that it announces"),
        (WEIGHTS, server.other_content, 2, "pytorch_model.bin differs from what was published: try again"),
        (WEIGHTS, server.to_itself, 1, "sends from one address to the next without end"),
        (WEIGHTS, server.status(503), 9, "is busy (503): try again later."),
        ("listing", server.status(404), 1, "was not found at"),
        ("listing", server.to_itself, 1, "sends from one address to the next without end"),
        ("listing", server.web_page, 1, "did not answer as a model hub does"),
        ("listing", server.status(502), 9, "is busy (502)"),
    ],
)
def test_what_does_not_work_is_said_and_does_not_block_the_next_try(
    shelf: Library, hub: Hub, name: str, misdeed: server.Misdeed, times: int, sentence: str
) -> None:
    hub.misbehave(name, *[misdeed] * times)
    with pytest.raises(HubError) as told:
        download(shelf, hub)
    text = str(told.value)
    assert sentence in text and text.endswith(".") and "\n" not in text
    assert shelf.entry(MODEL).state != State.HERE and not (shelf.root / MODEL).exists()
    hub.misdeeds.clear()
    download(shelf, hub)
    assert_whole(shelf)


def test_nobody_there(shelf: Library) -> None:
    with server.running() as gone:
        pass
    with pytest.raises(HubError, match="cannot be reached: check the network"):
        download(shelf, gone)


@pytest.mark.parametrize("content", [b"", b"x" * 40_000, b"x" * 900_000])
def test_a_bad_partial_file_never_blocks(shelf: Library, hub: Hub, content: bytes) -> None:
    """Whatever lies where the partial file would be: too much, or bytes of something else."""
    hub.misbehave(WEIGHTS, server.cut)
    hub.misbehave(WEIGHTS, *[server.status(404)])
    with pytest.raises(HubError):
        download(shelf, hub)
    (part,) = (shelf.root / ".incoming" / MODEL).glob("pytorch_model.bin.*.part")
    part.write_bytes(content)
    download(shelf, hub)
    assert_whole(shelf)


def test_a_partial_file_of_another_version_is_not_continued(shelf: Library, hub: Hub) -> None:
    hub.misbehave(WEIGHTS, server.cut, server.status(404))
    with pytest.raises(HubError):
        download(shelf, hub)
    newer = {**hub.repos["jingyaogong/minimind-3o"], WEIGHTS: noise(310_000, 99)}
    hub.repos["jingyaogong/minimind-3o"], hub.commit = newer, "f" * 40
    hub.requests.clear()
    download(shelf, hub)
    assert hub.asked_for(WEIGHTS) == [None]
    assert (shelf.root / MODEL / WEIGHTS).read_bytes() == newer[WEIGHTS]


def test_a_hash_of_the_catalogue_counts_more_than_what_the_hub_says(shelf: Library, hub: Hub) -> None:
    hub.repos["jingyaogong/SenseVoiceSmall"]["model.pt"] = noise(200_150, 8)
    with pytest.raises(HubError, match=r"model\.pt differs from what was published"):
        download(shelf, hub)
    assert not shelf.part_folder("sensevoice").exists()


def test_a_repository_without_what_is_needed(shelf: Library, hub: Hub) -> None:
    del hub.repos["jingyaogong/mimi"]["model.safetensors"]
    with pytest.raises(HubError, match=r"Mimi is incomplete: there is no model\.safetensors"):
        download(shelf, hub)


def test_a_slow_server_is_left(hub: Hub, tmp_path: Path) -> None:
    hub.repos = {"a/b": {"f": noise(5_000, 1)}}
    hub.misbehave("f", server.dripping)
    impatient = Patience(tries=4, first_wait=0.01, slow_s=0.2, least_bytes=1_000)
    file = RemoteFile("f", 5_000, f"{hub.address}/a/b/resolve/x/f")
    with transfer.client(impatient) as web:
        transfer.fetch(web, file, tmp_path / "f", Control(), impatient, moved=lambda count: None)
    assert (tmp_path / "f").read_bytes() == hub.repos["a/b"]["f"]
    assert len(hub.asked_for("f")) == 2 and hub.asked_for("f")[1] is not None


# --- the disk


def test_too_little_space_is_said_before_anything_is_fetched(shelf: Library, hub: Hub) -> None:
    with pytest.raises(NoSpaceError, match=r"of free disk space is needed, and 1 MB is there: make room"):
        download(shelf, hub, free=lambda folder: 1_000_000)
    assert {name for name, _ in hub.requests} == {"listing"}
    download(shelf, hub, free=lambda folder: RESERVE + 1_000_000)
    assert_whole(shelf)


def test_a_disk_that_fills_up_keeps_what_has_come(shelf: Library, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(transfer, "_copy", full)
        with pytest.raises(NoSpaceError, match="The disk is full"):
            download(shelf, hub)
    download(shelf, hub)
    assert_whole(shelf)


# --- pause, resume, cancel


def paused_at(gate: Gate, shelf: Library, hub: Hub) -> Control:
    """Start a download and stop it while the gate is closed."""
    control, ended = Control(), []
    begun = threading.Event()

    def tell(progress: Progress) -> None:
        if progress.file == WEIGHTS and progress.file_done:
            begun.set()

    def work() -> None:
        try:
            download(shelf, hub, control=control, tell=tell)
        except Stopped:
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert gate.reached.wait(30) and begun.wait(30)
    control.stop()
    thread.join(30)
    gate.open()
    assert ended == [True]
    return control


def test_pause_is_at_once_and_resume_goes_on(shelf: Library, hub: Hub) -> None:
    gate = Gate(0.6)
    hub.misbehave(WEIGHTS, gate)
    paused_at(gate, shelf, hub)
    entry = shelf.entry(MODEL)
    assert entry.state == State.PARTIAL and entry.partial > 0
    hub.requests.clear()
    seen: list[Progress] = []
    download(shelf, hub, tell=seen.append)
    assert_whole(shelf)
    (wanted,) = hub.asked_for(WEIGHTS)
    assert wanted is not None and not hub.asked_for("am.mvn")


def test_cancelled_leaves_nothing(shelf: Library, hub: Hub) -> None:
    gate = Gate()
    hub.misbehave(WEIGHTS, gate)
    paused_at(gate, shelf, hub)
    shelf.drop_partial(MODEL)
    assert shelf.entry(MODEL).state == State.ABSENT
    assert not [path for path in shelf.root.rglob("*") if path.is_file() and path.name != ".lock"]


@pytest.mark.parametrize("misdeed", [server.silent, server.status(503, retry_after="100")], ids=["headers", "backoff"])
def test_it_can_be_stopped_while_it_waits(shelf: Library, hub: Hub, misdeed: server.Misdeed) -> None:
    hub.misbehave(WEIGHTS, misdeed)
    control, asked = Control(), threading.Event()

    def stop() -> None:
        asked.wait(30)
        time.sleep(0.1)
        control.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()

    def tell(progress: Progress) -> None:
        if progress.file == WEIGHTS:
            asked.set()

    patient = Means(HuggingFace(hub.address), patience=Patience(read=50.0))
    with pytest.raises(Stopped):
        Download(shelf, MODEL, patient, control, tell).run()
    stopper.join()


# --- repair


def test_what_is_damaged_is_found_and_fetched_again_alone(shelf: Library, hub: Hub) -> None:
    download(shelf, hub)
    download(shelf, hub, "minimind-3o-moe")
    victim = shelf.root / MODEL / "mimi" / "model.safetensors"
    content = bytearray(victim.read_bytes())
    content[-1] ^= 1
    victim.write_bytes(content)
    assert shelf.entry(MODEL).state == State.HERE
    assert shelf.verify(MODEL) == ["mimi/model.safetensors"]
    assert shelf.entry(MODEL).state == State.DAMAGED == shelf.entry("minimind-3o-moe").state
    hub.requests.clear()
    download(shelf, hub)
    assert hub.asked_for("model.safetensors") == [None] and not hub.asked_for(WEIGHTS)
    assert_whole(shelf)
    assert_whole(shelf, "minimind-3o-moe")


def test_without_hard_links_the_parts_are_copied(shelf: Library, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    download(shelf, hub)
    assert_whole(shelf)
    copy = shelf.root / MODEL / "mimi" / "model.safetensors"
    copy.write_bytes(bytes(copy.stat().st_size))
    assert shelf.verify(MODEL) == []
    assert_whole(shelf)


def test_only_one_banter_changes_the_models(shelf: Library, hub: Hub) -> None:
    with shelf.changing(), pytest.raises(HubError, match="Another Banter is busy with the models"):
        download(shelf, hub)


# --- offline


def test_offline_nothing_is_connected_to(shelf: Library, hub: Hub, no_connections: Callable[[], list[Any]]) -> None:
    with pytest.raises(OfflineError, match="to stay offline"):
        download(shelf, hub, offline=True)
    assert no_connections() == [] and hub.requests == []


def test_the_guard_against_connections_guards(
    hub: Hub, shelf: Library, no_connections: Callable[[], list[Any]]
) -> None:
    with pytest.raises(HubError):
        download(shelf, hub)
    assert no_connections()
