"""The model's process and its host, with real processes and a scripted engine."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from app.engine.host import CRASH_LIMIT, EngineHost
from app.engine.protocol import (
    AudioFrame,
    Event,
    Failed,
    Progress,
    Ready,
    Recognised,
    TextDelta,
    ToolCall,
    TurnDone,
    UserText,
    Waking,
)
from app.omni.turn import FRAME_SAMPLES, StopReason

FACTORY = "tests.engine.scripted:ScriptedEngine.load"
WAIT_S = 60.0


class Client:
    """A host and the events it gave, in order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.events: queue.Queue[Event] = queue.Queue()
        self.host = EngineHost(self.events.put, factory=FACTORY)

    def until(self, wanted: Callable[[Event], bool]) -> list[Event]:
        """Events up to and including the first wanted one."""
        seen: list[Event] = []
        deadline = time.monotonic() + WAIT_S
        while True:
            event = self.events.get(timeout=max(0.0, deadline - time.monotonic()))
            seen.append(event)
            if wanted(event):
                return seen

    def until_ready(self) -> list[Event]:
        return self.until(lambda event: isinstance(event, Ready))

    def finish(self, turn: int) -> tuple[list[Event], TurnDone]:
        seen = self.until(lambda event: isinstance(event, TurnDone | Failed) and event.turn == turn)
        done = seen[-1]
        assert isinstance(done, TurnDone), done
        return seen, done

    def first_frame(self, turn: int) -> None:
        self.until(lambda event: isinstance(event, AudioFrame) and event.turn == turn)

    def logged(self) -> list[str]:
        """What the engine really computed, a line a frame."""
        return (self.folder / "frames.log").read_text().splitlines()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client(tmp_path)
    with client.host:
        yield client


@pytest.fixture
def ready(client: Client) -> Client:
    client.host.load(client.folder, threads=1)
    client.until_ready()
    return client


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


def kill_worker(host: EngineHost) -> int:
    pid = host.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


def test_load_reports_progress_then_ready(client: Client) -> None:
    client.host.load(client.folder, threads=1)
    seen = client.until_ready()
    assert seen[:-1] == [Progress("Reading the model", 0.0), Progress("Reading the model", 1.0)]
    assert isinstance(seen[-1], Ready)
    assert seen[-1].info.voices == ("ann", "bob")


def test_failed_load_says_why_and_a_later_load_works(client: Client, tmp_path: Path) -> None:
    client.host.load(tmp_path / "nowhere")
    failed = client.until(lambda event: isinstance(event, Failed))[-1]
    assert failed == Failed(f"{tmp_path / 'nowhere'} is no model folder: choose another one.", fatal=True)
    client.host.load(client.folder)
    client.until_ready()


def test_typed_turn(ready: Client) -> None:
    turn = ready.host.start_turn(text="say 3", voice="bob", seed=11)
    seen, done = ready.finish(turn)
    assert seen[0] == UserText(turn, "say 3")
    frames = [event for event in seen if isinstance(event, AudioFrame)]
    assert [frame.index for frame in frames] == [0, 1, 2]
    samples = np.frombuffer(frames[2].samples, "<f4")
    assert samples.shape == (FRAME_SAMPLES,) and samples[0] == np.float32(0.002)
    text = "".join(event.text for event in seen if isinstance(event, TextDelta))
    assert text == done.stats.reply == " 0 1 2"
    assert (done.stats.stop_reason, done.stats.voice, done.stats.seed) == (StopReason.EOS, "bob", 11)


def test_spoken_turn_gets_all_the_pushed_audio(ready: Client) -> None:
    turn = ready.host.start_turn()
    ready.host.push_audio(turn, np.array([0.5, 0.5], np.float32))
    ready.host.push_audio(turn, np.array([1.0], np.float32))
    ready.host.end_turn(turn)
    _, done = ready.finish(turn)
    assert done.stats.heard == "say 2"


def test_a_picture_comes_with_a_typed_question_at_its_begin_and_with_a_spoken_one_at_its_end(ready: Client) -> None:
    # One that fails is nothing yet: it fails once more with the question.
    ready.host.look(b"")
    ready.host.look(b"\x04")
    _, done = ready.finish(ready.host.start_turn(text="say 1", image=b"\x02"))
    assert done.stats.frames == 3
    turn = ready.host.start_turn()
    ready.host.push_audio(turn, np.ones(1, np.float32))
    ready.host.end_turn(turn, b"\x03")
    _, done = ready.finish(turn)
    assert done.stats.heard == "say 1" and done.stats.frames == 4
    _, done = ready.finish(ready.host.start_turn(text="say 1"))
    assert done.stats.frames == 1
    assert "look 4" in ready.logged()


def test_a_call_of_a_tool_is_passed_on_as_it_was_written(ready: Client) -> None:
    turn = ready.host.start_turn(text='call {"name": "coin"}')
    seen, done = ready.finish(turn)
    assert seen[1:-1] == [ToolCall(turn, '{"name": "coin"}', True)]
    assert done.stats.stop_reason is StopReason.TOOL_CALL
    turn = ready.host.start_turn(text='call {"name…')
    assert ToolCall(turn, '{"name…', False) in ready.finish(turn)[0]


def test_given_words_are_said_without_a_question_or_as_its_answer(ready: Client) -> None:
    for text in (None, "call a tool"):
        turn = ready.host.start_turn(text=text, say="it is five", voice="bob", seed=4)
        seen, done = ready.finish(turn)
        assert (done.stats.reply, done.stats.voice, done.stats.seed) == (" it is five", "bob", 4)
        assert done.stats.heard == (text or "")
        assert [event.index for event in seen if isinstance(event, AudioFrame)] == [0, 1, 2]


def test_saying_is_given_up_like_any_turn(ready: Client) -> None:
    turn = ready.host.start_turn(say="on and " * 500)
    ready.first_frame(turn)
    ready.host.cancel(turn)
    _, done = ready.finish(turn)
    assert done.stats.stop_reason is StopReason.CANCELLED and done.stats.frames < 200
    old = ready.host.start_turn(say="on and " * 500)
    ready.first_frame(old)
    new = ready.host.start_turn(text="say 2")
    _, done = ready.finish(new)
    assert done.stats.reply == " 0 1"


def test_turn_asked_while_loading_is_answered_afterwards(client: Client) -> None:
    client.host.load(client.folder)
    turn = client.host.start_turn(text="say 1")
    client.finish(turn)


def test_turn_without_a_model_fails_with_a_sentence(client: Client) -> None:
    turn = client.host.start_turn(text="say 1")
    failed = client.until(lambda event: isinstance(event, Failed))[-1]
    assert isinstance(failed, Failed)
    assert failed.turn == turn and "No model is loaded" in failed.message


def test_question_over_a_minute_is_refused(ready: Client) -> None:
    turn = ready.host.start_turn()
    for _ in range(7):
        ready.host.push_audio(turn, np.zeros(160_000, np.float32))
    ready.host.end_turn(turn)
    failed = ready.until(lambda event: isinstance(event, Failed))[-1]
    assert isinstance(failed, Failed)
    assert failed.turn == turn and "60 seconds" in failed.message
    ready.finish(ready.host.start_turn(text="say 1"))


def test_cancel_takes_effect_within_a_few_frames(ready: Client) -> None:
    turn = ready.host.start_turn(text="say 1000")
    ready.first_frame(turn)
    so_far = len(ready.logged())
    ready.host.cancel(turn)
    seen, done = ready.finish(turn)
    assert done.stats.stop_reason is StopReason.CANCELLED
    assert len(ready.logged()) - so_far < 20
    # Frames may have been waiting for this test before the cancel; none comes after the end.
    assert done.stats.frames <= len(ready.logged())
    ready.finish(ready.host.start_turn(text="say 1"))
    assert all(isinstance(event, AudioFrame | TextDelta | TurnDone) for event in seen)


def test_cancel_during_prefill(ready: Client) -> None:
    turn = ready.host.start_turn(text="prefill 3000")
    ready.until(lambda event: isinstance(event, UserText))
    ready.host.cancel(turn)
    seen, done = ready.finish(turn)
    assert done.stats.stop_reason is StopReason.CANCELLED
    assert len(seen) == 1


def test_cancel_before_the_question_is_complete(ready: Client) -> None:
    turn = ready.host.start_turn()
    ready.host.push_audio(turn, np.ones(4, np.float32))
    ready.host.cancel(turn)
    _, done = ready.finish(turn)
    assert done.stats.stop_reason is StopReason.CANCELLED
    ready.host.end_turn(turn)
    ready.finish(ready.host.start_turn(text="say 1"))


def test_newer_turn_replaces_the_older(ready: Client) -> None:
    old = ready.host.start_turn(text="say 1000")
    ready.first_frame(old)
    new = ready.host.start_turn(text="say 3")
    while not ready.events.empty():
        ready.events.get()
    seen, done = ready.finish(new)
    assert [event.turn for event in seen if hasattr(event, "turn")] == [new] * len(seen)
    assert done.stats.reply == " 0 1 2"
    assert len([line for line in ready.logged() if line.startswith("say 1000")]) < 100


def test_words_are_recognised_in_the_midst_of_a_turn(ready: Client) -> None:
    turn = ready.host.start_turn(text="say 500")
    ready.first_frame(turn)
    ready.host.recognise(5, np.full(100, 0.5, np.float32))
    seen = ready.until(lambda event: isinstance(event, Recognised))
    assert seen[-1] == Recognised(5, "50.0") and not any(isinstance(event, TurnDone) for event in seen)
    ready.host.cancel(turn)
    ready.finish(turn)
    ready.host.recognise(6, np.zeros(10, np.float32))
    seen = ready.until(lambda event: isinstance(event, Recognised))
    assert seen[-1] == Recognised(6, None), "the recogniser has failed, and says so"


def test_fault_in_a_turn_leaves_the_worker_usable(ready: Client) -> None:
    pid = ready.host.pid
    turn = ready.host.start_turn(text="raise")
    failed = ready.until(lambda event: isinstance(event, Failed))[-1]
    assert isinstance(failed, Failed)
    assert failed.turn == turn and not failed.fatal and "scripted fault" in failed.message
    ready.finish(ready.host.start_turn(text="say 1"))
    assert ready.host.pid == pid


def test_making_a_voice_is_refused_honestly(ready: Client) -> None:
    job = ready.host.make_voice(np.zeros(100, np.float32))
    ready.host.start_turn(text="say 1")
    failed = ready.until(lambda event: isinstance(event, Failed))[-1]
    assert failed == Failed("The model Scripted cannot make new voices; choose one of its own.", job)


def test_killed_during_a_turn_restarts_and_reloads(ready: Client) -> None:
    turn = ready.host.start_turn(text="say 1000")
    ready.first_frame(turn)
    pid = kill_worker(ready.host)
    failed = ready.until(lambda event: isinstance(event, Failed))[-1]
    assert failed == Failed("The model stopped unexpectedly and is being restarted.", turn)
    ready.until_ready()
    assert ready.host.pid != pid
    _, done = ready.finish(ready.host.start_turn(text="say 2"))
    assert done.stats.reply == " 0 1"


def test_killed_while_idle_names_no_turn(ready: Client) -> None:
    ready.finish(ready.host.start_turn(text="say 1"))
    kill_worker(ready.host)
    failed = ready.until(lambda event: isinstance(event, Failed))[-1]
    assert isinstance(failed, Failed) and failed.turn is None
    ready.until_ready()


def test_gives_up_after_three_crashes_until_a_model_is_chosen(client: Client, tmp_path: Path) -> None:
    bad = tmp_path / "die"
    bad.mkdir()
    client.host.load(bad)
    fatal = client.until(lambda event: isinstance(event, Failed) and event.fatal)
    assert len([event for event in fatal if isinstance(event, Failed)]) == CRASH_LIMIT
    turn = client.host.start_turn(text="say 1")
    refused = client.until(lambda event: isinstance(event, Failed))[-1]
    assert isinstance(refused, Failed) and refused.turn == turn and refused.fatal
    client.host.load(client.folder)
    client.until_ready()
    client.finish(client.host.start_turn(text="say 1"))


def test_faulty_receiver_does_not_stop_the_events(tmp_path: Path) -> None:
    ready = threading.Event()

    def receive(event: Event) -> None:
        if isinstance(event, Ready):
            ready.set()
        raise ValueError("receiver's mistake")

    with EngineHost(receive, factory=FACTORY) as host:
        host.load(tmp_path)
        assert ready.wait(WAIT_S)


def test_close_leaves_no_process_and_no_thread(ready: Client) -> None:
    pid = ready.host.pid
    assert pid is not None
    turn = ready.host.start_turn(text="say 1000")
    ready.first_frame(turn)
    ready.host.close()
    assert not psutil.pid_exists(pid)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("engine-")]
    ready.host.close()


def test_close_does_not_wait_for_a_load(client: Client) -> None:
    (client.folder / "slow").touch()
    client.host.load(client.folder)
    client.until(lambda event: isinstance(event, Progress))
    started = time.monotonic()
    client.host.close(timeout=WAIT_S)
    assert time.monotonic() - started < WAIT_S / 2


def test_close_right_after_start(tmp_path: Path) -> None:
    host = EngineHost(lambda event: None, factory=FACTORY)
    host.start()
    host.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("engine-")]


PARENT = """
import sys, time
from app.engine.host import EngineHost
if __name__ == "__main__":
    host = EngineHost(lambda event: None, factory="tests.engine.scripted:ScriptedEngine.load")
    host.start()
    host.load(sys.argv[1])
    host.start_turn(text="say 100000")
    while host.pid is None:
        time.sleep(0.01)
    try:
        print(host.pid, flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        host.close()
        sys.exit(130)
"""


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    yield process, worker
    if process.poll() is None:
        process.kill()
    process.communicate()


def running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_worker_ends_when_the_window_dies(parent: tuple[subprocess.Popen[str], int], tmp_path: Path) -> None:
    process, worker = parent
    wait_for(lambda: (tmp_path / "frames.log").exists())
    process.kill()
    wait_for(lambda: not running(worker))


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("early", [True, False], ids=["while starting", "while speaking"])
def test_ctrl_c_is_quiet(parent: tuple[subprocess.Popen[str], int], tmp_path: Path, early: bool) -> None:
    process, worker = parent
    if not early:
        wait_for(lambda: (tmp_path / "frames.log").exists())
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130
    assert errors == ""
    wait_for(lambda: not running(worker))


# --- memory


def test_a_model_that_was_put_away_comes_back_for_the_turn_that_waits(ready: Client) -> None:
    assert ready.host.unload() and ready.host.unload()
    turn = ready.host.start_turn()
    # All of it is said before the model is there.
    for _ in range(2):
        ready.host.push_audio(turn, np.ones(1, np.float32))
    ready.host.end_turn(turn)
    seen, done = ready.finish(turn)
    assert done.stats.heard == "say 2" and done.stats.frames == 2
    waking = [event for event in seen if isinstance(event, Waking)]
    assert seen[: len(waking)] == waking and waking[-1] == Waking(1.0)
    assert not [event for event in seen if isinstance(event, Ready | Progress)]
    _, again = ready.finish(ready.host.start_turn(text="say 1"))
    assert again.stats.frames == 1


def test_what_else_is_asked_of_it_wakes_the_model_too(ready: Client) -> None:
    assert ready.host.unload()
    ready.host.recognise(3, np.full(2, 0.5, np.float32))
    assert ready.until(lambda event: isinstance(event, Recognised))[-1] == Recognised(3, "1.0")


def test_a_model_is_not_put_away_in_the_midst_of_a_turn(ready: Client) -> None:
    turn = ready.host.start_turn(text="say 5")
    assert not ready.host.unload()
    ready.finish(turn)
    assert ready.host.unload()


def test_a_model_that_cannot_come_back_is_told_of(ready: Client) -> None:
    assert ready.host.unload()
    (ready.folder / "damaged").touch()
    turn = ready.host.start_turn(text="say 1")
    failed = ready.until(lambda event: isinstance(event, Failed) and event.turn == turn)
    assert any(isinstance(event, Failed) and event.fatal and "copy it again" in event.message for event in failed)
    (ready.folder / "damaged").unlink()
    ready.host.load(ready.folder)
    ready.until_ready()


def test_a_crash_while_it_is_away_brings_it_back(ready: Client) -> None:
    before = ready.host.pid
    assert ready.host.unload()
    wait_for(lambda: ready.host.pid not in (None, before))
    kill_worker(ready.host)
    ready.until_ready()
    ready.finish(ready.host.start_turn(text="say 1"))
    assert ready.host.crashes == 1


def test_a_model_that_is_away_takes_hardly_any_memory(ready: Client) -> None:
    before = ready.host.pid
    assert before is not None and ready.host.unload()
    wait_for(lambda: ready.host.pid not in (None, before))
    assert not psutil.pid_exists(before) and ready.host.crashes == 0
    ready.host.close()
    assert ready.host.pid is None
