"""Reports of a turn: what is in the file, what is refused, and that a replay does the same again."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.audio.tap import CHUNK, Take
from app.conversation.events import Mode
from app.conversation.journal import Line
from app.omni.turn import INPUT_RATE
from app.replay import again, bundle
from app.replay.bundle import BundleError, Report, Turn
from app.replay.model import Compute
from app.replay.stage import Deed, Terms, perform
from app.replay.user import Recording
from app.settings import Patience, Sensitivity
from tests.replay.counting import Counting, Samples

COMPUTE = (300.0, 30.0)


def taken(samples: Samples) -> Take:
    """The user's sound as the microphone's thread keeps it."""
    count = -(-len(samples) // CHUNK) * CHUNK
    clean = np.concatenate((samples, np.zeros(count - len(samples), np.float32)))
    chunks = count // CHUNK
    doubtful = tuple(10 <= index < 20 for index in range(chunks))
    return Take(0.0, 0.5 * clean, np.zeros_like(clean), clean, doubtful, True)


def reported(question: Samples, mode: Mode = Mode.OPEN_MIC, deeds: tuple[Deed, ...] = ()) -> Report:
    """A turn that has really been taken, as its report."""
    quiet = np.zeros(INPUT_RATE, np.float32)
    sound = taken(np.concatenate((quiet, question, quiet)))
    terms = Terms(Compute(False, 0.3, 0.03), seed=5, mode=mode, deeds=deeds)
    performance = perform(Recording(sound.clean), Counting(frames=20), terms)
    (entry,) = performance.record.turns.values()
    said = Turn(entry.question, entry.heard or "")
    return Report(said, mode, performance.lines, sound.seconds, sound, "ann", 5, COMPUTE)


def test_a_report_comes_back_as_it_was(question: Samples, tmp_path: Path) -> None:
    file = tmp_path / "report.zip"
    report = replace(
        reported(question),
        turn=Turn("a “question”", "an answer", "that goes on", True, False, 3),
        patience=Patience.SLOW,
        barge_in=Sensitivity.LOW,
        facts={"versions": bundle.versions(), "model": {"name": "counting"}},
    )
    bundle.write(report, file)
    back = bundle.read(file)
    assert report.sound is not None and back.sound is not None
    for name in ("raw", "reference", "clean"):
        np.testing.assert_allclose(getattr(back.sound, name), getattr(report.sound, name), atol=1e-4)
    assert back.sound.doubtful == report.sound.doubtful and back.sound.cancelled
    assert [(line.kind, line.more) for line in back.lines] == [
        (line.kind, json.loads(json.dumps(line.more))) for line in report.lines
    ]
    assert [line.at for line in back.lines] == pytest.approx([line.at for line in report.lines], abs=1e-3)
    assert replace(back, sound=None, lines=(), seconds=0.0) == replace(report, sound=None, lines=(), seconds=0.0)
    assert back.facts["versions"]["python"] and back.facts["versions"]["numpy"] == np.__version__


def test_a_replay_does_the_same_again(question: Samples, tmp_path: Path) -> None:
    bundle.write(reported(question), tmp_path / "report.zip")
    told = bundle.read(tmp_path / "report.zip")
    engine = Counting(frames=20)
    terms = replace(again.terms_for(told, Terms(), engine), compute=again.compute_of(told))
    performance, comparison = again.play_again(told, engine, terms)
    assert performance.record.turns[1].question == "spoken words"
    assert comparison.same_words and comparison.differs_at is None
    assert {"start_turn", "try_turn", "confirm_turn", "begin_playback", "keep_heard true"} <= set(comparison.now)
    # Another patience is another turn.
    slow = replace(told, patience=Patience.SLOW, turn=replace(told.turn, question="other words"))
    _, comparison = again.play_again(slow, Counting(frames=19), terms)
    assert not comparison.same_words and "another question" in comparison.sentences()[0]


def test_keys_are_pressed_again(question: Samples) -> None:
    press, release = 0.9, 1.1 + len(question) / INPUT_RATE
    deeds = (Deed(press, lambda it: it.talk_pressed()), Deed(release, lambda it: it.talk_released()))
    told = reported(question, Mode.PUSH_TO_TALK, deeds)
    assert [line.kind for line in told.lines if line.kind.startswith("talk")] == ["talk_pressed", "talk_released"]
    engine = Counting(frames=20)
    _, comparison = again.play_again(told, engine, again.terms_for(told, Terms(again.compute_of(told)), engine))
    assert comparison.differs_at is None and comparison.same_words


def test_a_typed_turn_needs_no_sound() -> None:
    deed = Deed(0.5, lambda it: it.submit_text("hello"))
    terms = Terms(Compute(False, 0.3, 0.03), deeds=(deed,))
    performance = perform(Recording(np.zeros(INPUT_RATE, np.float32)), Counting(frames=5), terms)
    entry = performance.record.turns[1]
    told = Report(Turn(entry.question, entry.heard or "", typed=True), Mode.OPEN_MIC, performance.lines, 1.0)
    engine = Counting(frames=5)
    _, comparison = again.play_again(told, engine, again.terms_for(told, Terms(again.compute_of(told)), engine))
    assert comparison.question == "hello" and comparison.differs_at is None
    with pytest.raises(BundleError, match="no sound"):
        again.play_again(replace(told, turn=replace(told.turn, typed=False)), engine, Terms())


def test_an_echo_of_then_is_an_echo_now(question: Samples) -> None:
    """The speaker's voice is in the recording: where it was known for that, it takes no turn from the answer."""
    quiet = np.zeros(INPUT_RATE, np.float32)
    # The same words once more, as if the speaker said them while the answer is played.
    samples = np.concatenate((quiet, question, quiet, question, quiet))
    sound = taken(samples)
    second = (len(quiet) * 2 + len(question)) // CHUNK
    known = replace(sound, doubtful=tuple(index >= second - 2 for index in range(len(sound.doubtful))))
    unknown = replace(sound, doubtful=(False,) * len(sound.doubtful))
    turns = []
    for heard in (known, unknown):
        told = Report(Turn("", ""), Mode.OPEN_MIC, (), heard.seconds, heard, compute=COMPUTE)
        engine = Counting(frames=60)
        performance, _ = again.play_again(told, engine, again.terms_for(told, Terms(again.compute_of(told)), engine))
        turns.append([entry.interrupted for entry in performance.record.turns.values() if not entry.discarded])
    assert turns == [[False], [True, False]]


def change(file: Path, name: str, content: str | bytes) -> None:
    """Put other content into the zip."""
    with zipfile.ZipFile(file) as old:
        entries = {entry: old.read(entry) for entry in old.namelist()}
    with zipfile.ZipFile(file, "w") as new:
        for entry, before in entries.items():
            new.writestr(entry, content if entry == name else before)


def test_what_is_no_report_is_refused_in_one_sentence(question: Samples, tmp_path: Path) -> None:
    good = tmp_path / "good.zip"
    bundle.write(reported(question), good)
    about = json.loads(zipfile.ZipFile(good).read("report.json"))
    letter = tmp_path / "letter.zip"
    letter.write_text("Dear Sir or Madam")
    cases = [tmp_path / "nowhere.zip", letter]
    wrong: list[tuple[str, str | bytes]] = [
        ("report.json", "[]"),
        ("report.json", "{"),
        ("report.json", json.dumps(about | {"version": 99})),
        ("report.json", json.dumps(about | {"mode": "telepathy"})),
        ("report.json", json.dumps(about | {"seconds": 1e9})),
        ("report.json", json.dumps(about | {"compute_ms": [float("nan"), 1]})),
        ("report.json", json.dumps(about | {"seed": True})),
        ("report.json", json.dumps({key: value for key, value in about.items() if key != "turn"})),
        ("events.json", '[{"t": "soon"}]'),
        ("events.json", "{}"),
        ("cleaned.flac", b"no sound"),
    ]
    for number, (name, content) in enumerate(wrong):
        file = tmp_path / f"{number}.zip"
        file.write_bytes(good.read_bytes())
        change(file, name, content)
        cases.append(file)
    large = tmp_path / "large.zip"
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as file_:
        file_.writestr("report.json", bytes(bundle.MOST_BYTES + 1))
    for file in [*cases, large]:
        with pytest.raises(BundleError) as refused:
            bundle.read(file)
        sentence = str(refused.value)
        assert "\n" not in sentence and sentence.endswith(".")


def test_a_place_that_cannot_be_written_is_named(question: Samples, tmp_path: Path) -> None:
    report = Report(Turn("q", "a", typed=True), Mode.OPEN_MIC, (Line(0.0, "tick", False, {}),), 1.0)
    with pytest.raises(bundle.AudioFileError, match="no folder"):
        bundle.write(report, tmp_path / "nowhere" / "report.zip")
