"""One turn and a batch of turns, answered by a scripted engine in this process."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.ask import AskError, Model, ModelError, Question, ask, ask_batch, list_voices, read_history
from app.audiofile import AudioFileError
from app.omni.turn import FRAME_SAMPLES, Exchange
from app.pictures import describe

FACTORY = "tests.engine.scripted:ScriptedEngine.load"
KEYS = {"heard", "reply", "tool_calls", "voice", "stop_reason", "frames", "audio_seconds", "seed", "timings"}
TIMINGS = {"load_s", "encode_ms", "prefill_ms", "first_audio_ms", "step_ms_median", "step_ms_p95", "rtf"}

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Model:
    folder = tmp_path / "model"
    folder.mkdir()
    return Model(folder, 1, FACTORY)


@pytest.fixture
def speech(tmp_path: Path) -> Path:
    """A file that the scripted engine hears as "say 2": its samples sum up to 2."""
    samples = np.zeros(8_000, np.float32)
    samples[4_000:4_004] = 0.5
    soundfile.write(tmp_path / "q.wav", samples, 16_000, subtype="FLOAT")
    return tmp_path / "q.wav"


def run_batch(model: Model, tmp_path: Path, lines: list[Any], capsys: Capture) -> list[dict[str, Any]]:
    """The printed lines; `lines` that are not strings are written as JSON."""
    source = tmp_path / "batch.jsonl"
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    source.write_text("\n".join(written), encoding="utf-8")
    failed, total = ask_batch(source, model, Question(voice="bob", seed=5))
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert total == len(printed) and failed == sum("error" in line for line in printed)
    return printed


def test_reply_goes_to_stdout_and_streams_to_stderr(model: Model, capsys: Capture) -> None:
    ask(Question(text="  say\n 3 "), model, as_json=False)
    captured = capsys.readouterr()
    assert captured.out == " 0 1 2\n"
    assert captured.err == "0 1 2\n"


def test_json_has_exactly_the_promised_keys(model: Model, capsys: Capture) -> None:
    ask(Question(text="say 3", voice="bob", seed=11), model, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert set(answer) == KEYS and set(answer["timings"]) == TIMINGS
    assert (answer["heard"], answer["voice"], answer["seed"]) == ("say 3", "bob", 11)
    assert (answer["stop_reason"], answer["frames"], answer["audio_seconds"]) == ("eos", 3, 0.24)
    assert answer["timings"]["load_s"] >= 0


def test_called_tools_are_told_of(model: Model, tmp_path: Path, capsys: Capture) -> None:
    def calls(text: str) -> list[dict[str, Any]]:
        ask(Question(text=f"call {text}"), model, as_json=True)
        answer = json.loads(capsys.readouterr().out)
        assert (answer["stop_reason"], answer["reply"]) == ("tool_call", "")
        return answer["tool_calls"]

    good = '{"name": "coin", "arguments": {"times": 2}}'
    assert calls(good) == [{"name": "coin", "arguments": {"times": 2}, "raw": good, "closed": True}]
    for bad in ("coin", '["coin"]', '{"name": "coin"}', '{"name": 1, "arguments": {}}', good + "…"):
        assert calls(bad) == [{"name": None, "arguments": None, "raw": bad, "closed": not bad.endswith("…")}]
    assert [call["name"] for call in calls(f"[{good}, {good}]")] == ["coin", "coin"]
    ask(Question(text="say 1"), model, as_json=True)
    assert json.loads(capsys.readouterr().out)["tool_calls"] == []


def test_a_call_is_no_fault_though_it_has_no_speech(model: Model, tmp_path: Path, capsys: Capture) -> None:
    ask(Question(text="call coin", out=tmp_path / "a.wav"), model, as_json=False)
    captured = capsys.readouterr()
    assert captured.out == "coin\n" and "no speech" in captured.err
    assert not (tmp_path / "a.wav").exists()


def test_spoken_question_and_written_answer(model: Model, speech: Path, capsys: Capture) -> None:
    out = speech.with_name("a.wav")
    ask(Question(audio=speech, out=out), model, as_json=True)
    assert json.loads(capsys.readouterr().out)["heard"] == "say 2"
    written, rate = soundfile.read(out, dtype="float32")
    assert rate == 24_000
    assert np.abs(written - np.repeat([0.0, 0.001], FRAME_SAMPLES)).max() < 1e-4


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A black picture."""
    head = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 58, 0, 0, 54, 40, 1, 1, 1, 24, 0, 4, 0, 0, 0, 0)
    (tmp_path / "p.bmp").write_bytes(head + bytes(4))
    return tmp_path / "p.bmp"


def test_a_picture_with_a_question_and_one_alone(model: Model, speech: Path, picture: Path, capsys: Capture) -> None:
    for question in (Question(text="say 1", image=picture), Question(audio=speech, image=picture)):
        request = question.request()
        assert request.image == bytes(3 * 256 * 256) and (request.audio is None) == (question.audio is None)
    alone = Question(image=picture).request()
    assert alone.text == "Please describe this image." and alone.image is not None
    assert describe("zh_CN") == "请描述这张图片。"
    lines = [{"text": "say 2", "image": str(picture)}, {"text": "say 2", "image": str(speech)}]
    good, bad = run_batch(model, picture.parent, lines, capsys)
    assert good["frames"] == 2 and "not a picture" in bad["error"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (Question(), "either a sound file or a text"),
        (Question(audio=Path("q.wav"), text="say 1"), "either a sound file or a text"),
        (Question(text="  \n"), "text is empty"),
        (Question(text="x" * 501), "501 characters"),
        (Question(text="say 1", seed=-1), "seed -1"),
        (Question(text="say 1", seed=2**63), "out of range"),
    ],
)
def test_bad_questions_are_refused_before_the_model_is_loaded(question: Question, expected: str) -> None:
    with pytest.raises(AskError, match=expected):
        ask(question, Model(Path("nowhere"), 1, FACTORY), as_json=True)


def test_500_characters_are_fine(model: Model, capsys: Capture) -> None:
    ask(Question(text="say 1" + " " * 600), model, as_json=True)
    with pytest.raises(AskError, match="scripted fault"):
        ask(Question(text="raise " + "1" * 494), model, as_json=True)


def test_unwritable_output_is_refused_before_the_model_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(AudioFileError, match="no folder"):
        ask(
            Question(text="say 1", out=tmp_path / "no" / "a.wav"),
            Model(tmp_path / "nowhere", 1, FACTORY),
            as_json=True,
        )


def test_answer_without_speech_writes_no_file(model: Model, tmp_path: Path) -> None:
    with pytest.raises(AskError, match="no speech"):
        ask(Question(text="say 0", out=tmp_path / "a.wav"), model, as_json=True)
    assert not (tmp_path / "a.wav").exists()


def test_missing_and_damaged_models_get_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model folder"):
        Model(tmp_path / "nowhere", 1, FACTORY).engine()
    (tmp_path / "damaged").touch()
    with pytest.raises(ModelError, match=r"is damaged: copy it again\.$"):
        Model(tmp_path, 1, FACTORY).engine()


def test_unknown_voice_lists_the_known_ones(model: Model) -> None:
    with pytest.raises(AskError, match=r"zoe.*ann, bob"):
        ask(Question(text="say 1", voice="zoe"), model, as_json=True)


def test_voices_default_first(model: Model, capsys: Capture) -> None:
    list_voices(model)
    assert capsys.readouterr().out == "ann\nbob\n"


def test_batch_answers_every_line_with_one_load(model: Model, speech: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "a.wav"
    lines = [
        {"text": "say 1"},
        "",
        {"audio": str(speech), "out": str(out), "voice": "ann", "seed": 0},
        {"text": "say 2", "history": [{"q": "Hi", "a": "Hello"}], "audio": None},
    ]
    first, second, third = run_batch(model, tmp_path, lines, capsys)
    assert (first["voice"], first["seed"], first["frames"]) == ("bob", 5, 1)
    assert (second["voice"], second["seed"], second["heard"]) == ("ann", 0, "say 2")
    assert out.is_file()
    assert third["frames"] == 2
    assert first["timings"]["load_s"] == third["timings"]["load_s"]


BAD_LINES: list[tuple[Any, str]] = [
    ("{", "valid JSON"),
    ("[" * 100_000, "nested too deeply"),
    ("3", "JSON object"),
    ({}, "either a sound file or a text"),
    ({"text": "say 1", "audio": "q.wav"}, "either a sound file or a text"),
    ({"text": ""}, "text is empty"),
    ({"text": 3}, "'text' of this line must be a string"),
    ({"question": "say 1"}, "unknown key 'question'"),
    ({"audio": "nowhere.wav"}, "no file"),
    ({"text": "say 1", "voice": "zoe"}, "zoe"),
    ({"text": "say 1", "voice": 3}, "'voice' of this line must be a string"),
    ({"text": "say 1", "seed": "7"}, "'seed' of this line must be a whole number"),
    ({"text": "say 1", "seed": True}, "'seed' of this line must be a whole number"),
    ({"text": "say 1", "history": {"q": "Hi"}}, "'history' of this line must be"),
    ({"text": "say 1", "history": [{"q": "Hi", "a": 3}]}, "'history' of this line must be"),
    ({"text": "say 1", "out": "/nowhere/a.wav"}, "no folder"),
    ({"text": "raise"}, "scripted fault"),
]


def test_batch_goes_on_after_bad_lines(model: Model, tmp_path: Path, capsys: Capture) -> None:
    lines: list[Any] = [line for line, _ in BAD_LINES]
    printed = run_batch(model, tmp_path, [*lines, {"text": "say 1"}], capsys)
    for (line, expected), result in zip(BAD_LINES, printed, strict=False):
        assert set(result) == {"error"}, line
        assert expected in result["error"], line
    assert printed[-1]["frames"] == 1


def test_batch_line_that_is_not_utf8(model: Model, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "batch.jsonl"
    source.write_bytes(b'{"text": "caf\xe9"}\n\xef\xbb\xbf{"text": "say 1"}\n')
    assert ask_batch(source, model, Question()) == (1, 2)
    assert "UTF-8" in json.loads(capsys.readouterr().out.splitlines()[0])["error"]


def test_batch_ends_at_once_without_a_model(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "batch.jsonl"
    source.write_text('{"text": "say 1"}\n' * 3)
    with pytest.raises(ModelError):
        ask_batch(source, Model(tmp_path / "nowhere", 1, FACTORY), Question())
    assert capsys.readouterr().out == ""


def test_missing_batch_file(model: Model, tmp_path: Path) -> None:
    with pytest.raises(AskError, match="cannot be read"):
        ask_batch(tmp_path / "nowhere.jsonl", model, Question())


def test_history_file(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    path.write_text('[{"q": "Hi", "a": "Hällo"}]', encoding="utf-8")
    assert read_history(path) == (Exchange("Hi", "Hällo"),)


@pytest.mark.parametrize("content", ["", "{", "{}", '["Hi"]', '[{"q": "Hi"}]', '[{"q": "Hi", "a": null}]'])
def test_bad_history_gets_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "h.json"
    path.write_text(content)
    with pytest.raises(AskError) as caught:
        read_history(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_missing_history(tmp_path: Path) -> None:
    with pytest.raises(AskError, match="No such file"):
        read_history(tmp_path / "h.json")
