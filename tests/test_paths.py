"""Folders of the app."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import paths


def test_starter_is_beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(paths.MODEL_VARIABLE, raising=False)
    assert paths.starter_model() == Path(__file__).resolve().parents[1] / "models" / "starter"


def test_variable_names_another_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(paths.MODEL_VARIABLE, str(tmp_path))
    assert paths.starter_model() == tmp_path


def test_ensured_makes_the_folder(tmp_path: Path) -> None:
    assert paths.ensured(tmp_path / "a" / "b").is_dir()
    assert paths.ensured(tmp_path / "a" / "b").is_dir()


def test_user_folders_name_the_app() -> None:
    for folder in (paths.config_dir(), paths.data_dir(), paths.cache_dir(), paths.log_dir()):
        assert paths.APP_NAME in str(folder)
