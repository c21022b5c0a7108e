"""Settings: round trip, damaged files, atomic write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import settings as s


@settings(deadline=None)
@given(
    voice=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    mode=st.sampled_from(list(s.Mode)),
    volume=st.floats(0, 1),
    x=st.none() | st.integers(-9000, 9000),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, voice: str, mode: s.Mode, volume: float, x: int | None
) -> None:
    path = tmp_path_factory.mktemp("c") / "deep" / "settings.toml"
    geometry = s.WindowGeometry(640, 700, x, 12, True)
    wanted = s.Settings(voice, mode, volume, window=geometry, microphone=s.SoundDevice(voice, "ALSA"))
    s.save(path, wanted)
    assert s.load(path) == s.Loaded(wanted)


@settings(deadline=None)
@given(
    names=st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=3),
    system=st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    turns=st.none() | st.integers(0, s.MOST_HISTORY_TURNS),
)
def test_round_trip_of_how_models_answer(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], system: str, turns: int | None
) -> None:
    path = tmp_path_factory.mktemp("c") / "settings.toml"
    wanted = s.Settings(answering={name: s.Answering(0.5, system, turns) for name in names}, temperature=1.0)
    s.save(path, wanted)
    assert s.load(path) == s.Loaded(wanted)
    assert wanted.answering_of("another") == s.Answering(1.0)


def test_missing_file_gives_defaults(tmp_path: Path) -> None:
    assert s.load(tmp_path / "none.toml") == s.Loaded(s.Settings())


@pytest.mark.parametrize("content", [b"voice = 'ann", b"\xff\xfe\x00", b"[[[", b"\x00" * 200])
def test_damaged_file_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    loaded = s.load(path)
    assert loaded.settings == s.Settings()
    assert "settings.toml.bad" in loaded.notice
    assert (tmp_path / "settings.toml.bad").read_bytes() == content
    assert s.load(path) == s.Loaded(s.Settings()), "only one notice"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("mode = 'shouting'", "mode"),
        ("volume = 7", "volume"),
        ("volume = true", "volume"),
        ("volume = nan", "volume"),
        ("voice = 3", "voice"),
        ("microphone = 3", "microphone"),
        ("speaker = {name = 3}", "speaker"),
        ("window = 3", "window"),
        ("window = {width = -4}", "window"),
        ("window = {maximized = 1}", "window"),
        ("cancel_echo = 1", "cancel_echo"),
        ("unload_after = -1", "unload_after"),
        ("offline = 'yes'", "offline"),
        ("answering = 3", "answering"),
        ("answering = {x = {temperature = 9}}", "answering"),
        ("answering = {x = {history_turns = 1.5}}", "answering"),
        ("answering = {x = 'short'}", "answering"),
        ("suppress_noise = 'yes'", "suppress_noise"),
        ("talk = 'shout'", "talk"),
        ("patience = 3", "patience"),
        ("patience = ['slow']", "patience"),
        ("barge_in = 'never'", "barge_in"),
        ("theme = 'pink'", "theme"),
        ("language = 'tlh'", "language"),
        ("text_size = 95", "text_size"),
        ("text_size = 400", "text_size"),
        ("text_size = 110.0", "text_size"),
        ("reduced_motion = 'no'", "reduced_motion"),
        ("temperature = -0.1", "temperature"),
        ("temperature = 1.6", "temperature"),
        ("temperature = inf", "temperature"),
        ("seed = -1", "seed"),
        ("seed = 2147483648", "seed"),
        ("seed = true", "seed"),
    ],
)
def test_one_bad_value_leaves_the_others(tmp_path: Path, line: str, name: str) -> None:
    path = tmp_path / "settings.toml"
    other = "volume = 0.5" if name == "voice" else 'voice = "ann"'
    path.write_text(f"{other}\n{line}\n")
    loaded = s.load(path)
    assert name in loaded.notice and path.with_name("settings.toml.bad").exists()
    assert getattr(loaded.settings, name) == getattr(s.Settings(), name)
    assert loaded.settings != s.Settings()


def test_unreadable_path_is_no_crash(tmp_path: Path) -> None:
    loaded = s.load(tmp_path)  # a folder
    assert loaded.settings == s.Settings() and loaded.notice


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.toml"
    s.save(path, s.Settings(voice="old"))

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        s.save(path, s.Settings(voice="new"))
    assert s.load(path).settings.voice == "old"
    assert os.listdir(tmp_path) == ["settings.toml"]


def test_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    wanted = s.Settings(keep=s.Keep.NOT_AT_ALL, keep_sound=True, sidebar=True)
    s.save(path, wanted)
    assert s.load(path) == s.Loaded(wanted)
    path.write_text('keep = "a week"\nkeep_sound = 3\nsidebar = "yes"\n')
    loaded = s.load(path)
    assert loaded.settings.keep == s.Keep.FOREVER, "a typing error deletes nothing"
    assert not loaded.settings.keep_sound and all(name in loaded.notice for name in ("keep", "keep_sound", "sidebar"))


@settings(deadline=None)
@given(
    talk=st.sampled_from(list(s.Talk)),
    patience=st.sampled_from(list(s.Patience)),
    barge_in=st.sampled_from(list(s.Sensitivity)),
    theme=st.sampled_from(list(s.Theme)),
    language=st.sampled_from(list(s.Language)),
    keep=st.sampled_from(list(s.Keep)),
    text_size=st.sampled_from(list(s.TEXT_SIZES)),
    switches=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    temperature=st.none() | st.floats(0, s.MOST_TEMPERATURE),
    seed=st.none() | st.integers(0, s.MOST_SEED),
    hotkey=st.text(),
)
def test_round_trip_of_the_settings_window(
    tmp_path_factory: pytest.TempPathFactory,
    talk: s.Talk,
    patience: s.Patience,
    barge_in: s.Sensitivity,
    theme: s.Theme,
    language: s.Language,
    keep: s.Keep,
    text_size: int,
    switches: tuple[bool, bool, bool],
    temperature: float | None,
    seed: int | None,
    hotkey: str,
) -> None:
    path = tmp_path_factory.mktemp("c") / "settings.toml"
    echo, noise, motion = switches
    wanted = s.Settings(
        talk=talk,
        patience=patience,
        barge_in=barge_in,
        theme=theme,
        language=language,
        keep=keep,
        text_size=text_size,
        cancel_echo=echo,
        suppress_noise=noise,
        reduced_motion=motion,
        temperature=temperature,
        seed=seed,
        hotkey=hotkey,
        close_to_tray=echo,
        start_minimised=noise,
        tray_explained=motion,
    )
    s.save(path, wanted)
    assert s.load(path) == s.Loaded(wanted)
