"""The verb `models`, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import cli, paths, settings
from tests.hub import server
from tests.hub.material import MODEL, fill, known, write_published
from tests.hub.server import Hub

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub, and folders of the user's that belong to this test."""
    for name, folder in (("data_dir", "data"), ("config_dir", "config")):
        monkeypatch.setattr(paths, name, lambda folder=folder: tmp_path / folder)
    known(tmp_path / "config")
    with server.running() as hub:
        fill(hub)
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        yield hub


def models(*arguments: str | Path) -> int:
    return cli.main(["models", *map(str, arguments)])


def listed(capsys: Capture) -> dict[str, str]:
    capsys.readouterr()
    assert models("list", "--json") == 0
    return {one["name"]: one["state"] for one in json.loads(capsys.readouterr().out)["models"]}


def test_a_model_comes_is_verified_and_goes(hub: Hub, capsys: Capture) -> None:
    assert listed(capsys) == {"starter": "here", "minimind-3o": "absent", "minimind-3o-moe": "absent"}
    assert models("download", MODEL) == 0
    told = capsys.readouterr()
    assert told.out == f"{MODEL} is here: {paths.models_dir() / MODEL}\n" and "% " in told.err
    assert models("verify", MODEL) == 0
    weights = paths.models_dir() / MODEL / "pytorch_model.bin"
    weights.write_bytes(bytes(weights.stat().st_size))
    assert models("verify", MODEL) == 2
    told = capsys.readouterr()
    assert told.err == f"{MODEL} is damaged (pytorch_model.bin): download or import it again.\n"
    assert listed(capsys)[MODEL] == "damaged"
    assert models("download", MODEL) == 0 and models("verify", MODEL) == 0
    assert models("remove", MODEL) == 0
    assert listed(capsys)[MODEL] == "absent"


def test_a_model_comes_from_a_folder(hub: Hub, tmp_path: Path, capsys: Capture) -> None:
    for repo in ("SenseVoiceSmall", "mimi", MODEL):
        write_published(tmp_path / "stick" / repo, repo)
    assert models("import", tmp_path / "stick") == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"{MODEL} is here: ") and "It came without CAM++, SigLIP2." in told.err
    assert not hub.requests


def test_the_list_shows_licences(hub: Hub, capsys: Capture) -> None:
    assert models() == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 3 and "CC BY 4.0" in rows[1] and "FunASR Model License 1.1" in rows[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["download"], "Say which: banter models download NAME."),
        (["import"], "Say which: banter models import FOLDER."),
        (["download", "nothing"], "There is no model nothing to download: `banter models` lists those that there are."),
        (["remove", "starter"], "The starter belongs to Banter and stays."),
        (["list", "starter"], "`banter models list` takes no name."),
    ],
)
def test_bad_input_gets_one_sentence(hub: Hub, capsys: Capture, arguments: list[str], sentence: str) -> None:
    assert models(*arguments) == 2
    assert capsys.readouterr().err == sentence + "\n"


@pytest.mark.parametrize("by", ["setting", "HF_HUB_OFFLINE"])
def test_offline_it_stays(hub: Hub, capsys: Capture, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    if by == "setting":
        settings.save(paths.settings_file(), settings.Settings(offline=True))
    else:
        monkeypatch.setenv(by, "1")
    assert models("download", MODEL) == 2
    assert "is to stay offline" in capsys.readouterr().err and not hub.requests
