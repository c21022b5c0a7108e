"""Models on the disk: taken in from a folder, listed, checked, removed; and the catalogue that names them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app.hub import catalogue, manifest
from app.hub.bring import Found, bring, recognise
from app.hub.control import Control
from app.hub.download import Progress
from app.hub.errors import HubError, NoSpaceError, Stopped
from app.hub.library import Library, State
from app.hub.rate import Rate, in_bytes
from tests.hub.material import MODEL, PARTS, library, published, write_published

REPOS = ("SenseVoiceSmall", "mimi", "campplus", "siglip2-base-p32-256-ve")


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    return library(tmp_path / "home")


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """What somebody has carried here: the model with its parts beside it, as they are published."""
    for repo in REPOS:
        write_published(tmp_path / "stick" / repo, repo)
    return write_published(tmp_path / "stick" / MODEL, MODEL).parent


def take_in(found: Found, shelf: Library) -> Path:
    return bring(found, shelf, Control(), lambda progress: None)


def sizes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}


# --- import


@pytest.mark.parametrize("chosen", ["", MODEL])
def test_a_published_folder_is_taken_in_with_its_parts(shelf: Library, stick: Path, chosen: str) -> None:
    """Whether the folder above or the model's own one is chosen."""
    before = sizes(stick)
    seen: list[Progress] = []
    found = recognise(stick / chosen, shelf)
    assert found.id == MODEL and set(found.parts) == set(PARTS) and not found.lacking
    folder = bring(found, shelf, Control(), seen.append)
    assert folder == shelf.root / MODEL and shelf.entry(MODEL).state == State.HERE
    assert shelf.verify(MODEL) == []
    assert (folder / "mimi" / "model.safetensors").read_bytes() == published()["jingyaogong/mimi"]["model.safetensors"]
    assert (folder / "siglip2" / "config.json").is_file() and (folder / "sensevoice" / "am.mvn").is_file()
    assert not list(folder.rglob("*.py"))
    assert sizes(stick) == before
    assert seen[-1].done == seen[-1].total > 700_000


def test_parts_inside_the_model_folder_under_the_names_that_banter_gives_them(
    shelf: Library, stick: Path, tmp_path: Path
) -> None:
    for repo, part in zip(REPOS, PARTS, strict=True):
        shutil.move(stick / repo, stick / MODEL / part)
    alone = tmp_path / "elsewhere" / "Minimind-3o"
    shutil.move(stick / MODEL, alone)
    take_in(recognise(alone, shelf), shelf)
    assert shelf.entry(MODEL).state == State.HERE and shelf.verify(MODEL) == []


def test_what_is_missing_is_said_in_one_sentence(shelf: Library, stick: Path) -> None:
    shutil.rmtree(stick / "mimi")
    with pytest.raises(HubError, match=r"^Mimi is missing: put its folder, named mimi, into .*minimind-3o\.$"):
        recognise(stick, shelf)
    assert not shelf.root.exists()


def test_a_model_can_do_without_pictures_and_new_voices(shelf: Library, stick: Path) -> None:
    shutil.rmtree(stick / "campplus")
    shutil.rmtree(stick / "siglip2-base-p32-256-ve")
    found = recognise(stick, shelf)
    assert [part.title for part in found.lacking] == ["CAM++", "SigLIP2"]
    folder = take_in(found, shelf)
    assert shelf.entry(MODEL).state == State.HERE and not (folder / "campplus").exists()


def test_parts_that_are_here_are_not_needed_again(shelf: Library, stick: Path) -> None:
    take_in(recognise(stick, shelf), shelf)
    other = write_published(stick.parent / "other" / "minimind-3o-moe", "minimind-3o-moe")
    found = recognise(other, shelf)
    assert found.id == "minimind-3o-moe" and set(found.parts.values()) == {None}
    take_in(found, shelf)
    assert shelf.verify("minimind-3o-moe") == []


def test_a_model_of_ones_own_keeps_its_name(shelf: Library, stick: Path) -> None:
    own = stick / "My Voice Model"
    own.mkdir()
    section = {"name": "Mine", "encoder": "starter", "codec": "starter"}
    (own / "config.json").write_text(json.dumps({"banter": section, "image_ids": []}))
    for name in ("tokenizer.json", "encoder.json", "train.py"):
        (own / name).write_text("{}")
    for number in range(2):
        found = recognise(own, shelf)
        assert found.id == ("my-voice-model", "my-voice-model-2")[number] and found.parts == {}
        folder = take_in(found, shelf)
    entry = shelf.entry("my-voice-model")
    assert (entry.title, entry.state, entry.can_download) == ("Mine", State.HERE, False)
    assert sorted(path.name for path in folder.iterdir()) == [
        manifest.FILE,
        "config.json",
        "encoder.json",
        "tokenizer.json",
    ]
    assert [one.id for one in shelf.entries()][-2:] == ["my-voice-model", "my-voice-model-2"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda top: (top / MODEL / "pytorch_model.bin").write_bytes(b"cut"),
            "pytorch_model.bin is damaged or incomplete",
        ),
        (lambda top: (top / "mimi" / "model.safetensors").write_bytes(b"\1" * 99), "model.safetensors is damaged"),
        (lambda top: (top / MODEL / "pytorch_model.bin").unlink(), "minimind-3o is incomplete: there is no model.saf"),
        (lambda top: (top / MODEL / "config.json").write_text("[]"), "cannot be read as a model's configuration"),
        (lambda top: (top / MODEL / "tokenizer.json").unlink(), "holds no model: config.json, tokenizer.json and the"),
        (
            lambda top: shutil.copytree(top / MODEL, top / "second"),
            "holds several models (minimind-3o, second): choose",
        ),
        (lambda top: shutil.rmtree(top), "is no folder: choose the one that holds the model"),
    ],
)
def test_a_folder_that_cannot_be_taken_in(shelf: Library, stick: Path, change: object, sentence: str) -> None:
    change(stick)  # type: ignore[operator]
    with pytest.raises(HubError) as told:
        recognise(stick, shelf)
    assert sentence in str(told.value) and str(told.value).endswith(".")


def test_an_import_that_is_stopped_or_has_no_room_leaves_nothing(shelf: Library, stick: Path) -> None:
    found = recognise(stick, shelf)
    with pytest.raises(NoSpaceError, match="make room and try again"):
        bring(found, shelf, Control(), lambda progress: None, free=lambda folder: 500_000)
    control = Control()

    def tell(progress: Progress) -> None:
        if progress.done:
            control.stop()

    with pytest.raises(Stopped):
        bring(found, shelf, control, tell)
    assert shelf.entry(MODEL).state == State.ABSENT
    take_in(found, shelf)
    assert shelf.entry(MODEL).state == State.HERE


# --- what is here


def test_a_folder_put_there_by_hand_is_a_model_too(shelf: Library, stick: Path) -> None:
    shutil.copytree(stick / MODEL, shelf.root / "by-hand")
    assert shelf.entry("by-hand").state == State.HERE
    with pytest.raises(HubError, match="was not brought here by Banter"):
        shelf.verify("by-hand")


@pytest.mark.parametrize("harm", ["missing", "short", "changed"])
def test_damage_is_found(shelf: Library, stick: Path, harm: str) -> None:
    weights = take_in(recognise(stick, shelf), shelf) / "pytorch_model.bin"
    content = weights.read_bytes()
    if harm == "missing":
        weights.unlink()
    else:
        weights.write_bytes(content[:-1] if harm == "short" else content[:-1] + b"\xff")
    # What is missing or short is seen at once.
    assert shelf.entry(MODEL).state == (State.HERE if harm == "changed" else State.DAMAGED)
    assert shelf.verify(MODEL) == ["pytorch_model.bin"]
    assert shelf.entry(MODEL).state == State.DAMAGED
    weights.write_bytes(content)
    assert shelf.verify(MODEL) == [] and shelf.entry(MODEL).state == State.HERE


def test_what_is_removed_takes_along_the_parts_that_nobody_else_needs(shelf: Library, stick: Path) -> None:
    take_in(recognise(stick, shelf), shelf)
    other = write_published(stick.parent / "other" / "minimind-3o-moe", "minimind-3o-moe")
    take_in(recognise(other, shelf), shelf)
    shelf.remove(MODEL)
    assert shelf.entry(MODEL).state == State.ABSENT and shelf.verify("minimind-3o-moe") == []
    assert (shelf.root / "minimind-3o-moe" / "mimi" / "model.safetensors").is_file()
    shelf.remove("minimind-3o-moe")
    assert {path.name for path in shelf.root.rglob("*") if path.is_file()} <= {".lock"}
    with pytest.raises(HubError, match="belongs to Banter"):
        shelf.remove("starter")


@pytest.mark.parametrize("name", ["../starter", "parts", ".incoming", "", "nothing"])
def test_other_names_are_no_models(shelf: Library, name: str) -> None:
    shelf.part_folder("mimi").mkdir(parents=True)
    with pytest.raises(HubError, match="There is no model"):
        shelf.entry(name)


# --- the catalogue


def test_the_catalogue_names_all_that_minimind_needs() -> None:
    known = catalogue.load()
    assert set(known.models) == {"minimind-3o", "minimind-3o-moe"} and set(known.parts) == set(PARTS)
    for package in (*known.parts.values(), *known.models.values()):
        assert package.attribution and package.licence.url.startswith("https://") and package.size > 1_000_000
        assert package.huggingface and package.modelscope
    assert known.parts["mimi"].licence.name == "CC BY 4.0"


def test_names_that_lead_elsewhere_are_nobodys_files() -> None:
    camp = catalogue.load().parts["campplus"]
    names = ["campplus_cn_common.pt", "../campplus.pt", "campplus\\..\\..\\x.pt", "campplus:x.pt"]
    assert camp.choose(names) == ["campplus_cn_common.pt"]


def test_the_user_may_say_otherwise(tmp_path: Path) -> None:
    changes = tmp_path / "models.toml"
    changes.write_text('[models.minimind-3o]\nhuggingface = "me/mine"\nhuggingface_revision = ""\n')
    model = catalogue.load(changes).models["minimind-3o"]
    assert (model.huggingface, model.huggingface_revision, model.title) == ("me/mine", "", "MiniMind-O")


@pytest.mark.parametrize(
    "text", ["[", '[models."../x"]', "[models.x]\nweights = 3", '[models.minimind-3o]\nparts = ["legs"]']
)
def test_a_list_that_cannot_be_used_says_which(tmp_path: Path, text: str) -> None:
    changes = tmp_path / "models.toml"
    changes.write_text(text)
    with pytest.raises(HubError, match=r"The list of models .*models\.toml cannot be used: "):
        catalogue.load(changes)


# --- figures


def test_speed_is_that_of_the_last_seconds() -> None:
    rate = Rate()
    assert rate.speed == 0.0 and rate.seconds_left(5) is None
    for second in range(20):
        rate.note(float(second), 1_000 * min(second, 5) + 100 * max(second - 5, 0))
    assert rate.speed == pytest.approx(100.0) and rate.seconds_left(1_000) == pytest.approx(10.0)
    assert [in_bytes(n) for n in (999, 1_500_000, 999_600_000)] == ["1 kB", "2 MB", "1.0 GB"]
