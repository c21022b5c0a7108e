"""Asking a larger model, at a real server that also misbehaves."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from app.brain.address import BrainError, read_address, usable_address
from app.brain.brain import MOST_CHARACTERS, Brain
from app.brain.request import Bounds, CutError, Request
from app.brain.trial import listed, try_out
from app.omni.turn import Exchange
from tests.support.chat_server import ChatServer, serving

# As long as a test may take where nothing is to be late, and as short as can be where it is.
PATIENT = Bounds(30.0, 60.0, 60.0, 60.0, 60.0)
HASTY = Bounds(first_s=0.15)
BRIEF = Bounds(first_s=60.0, quiet_s=60.0, total_s=0.4)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as server:
        yield server


class Talk:
    """What a brain says, as it comes."""

    def __init__(self, server: ChatServer, model: str, bounds: Bounds = PATIENT) -> None:
        self.sentences: list[str] = []
        self.problem: str | None = None
        self._changed = threading.Condition()
        address = read_address(server.url)
        self.brain = Brain(address, model, self._on_sentence, self._on_end, bounds=bounds)

    def ask(self, *history: Exchange) -> Talk:
        self.give_up = self.brain.ask(7, "Why does honey keep?", history)
        return self

    def whole(self) -> Talk:
        """Wait for its end."""
        return self.until(lambda: self.problem is not None)

    def until(self, condition: object) -> Talk:
        assert callable(condition)
        with self._changed:
            assert self._changed.wait_for(condition, 60)
        return self

    def _on_sentence(self, number: int, sentence: str) -> None:
        assert number == 7 and self.problem is None
        with self._changed:
            self.sentences.append(sentence)
            self._changed.notify_all()

    def _on_end(self, number: int, problem: str) -> None:
        assert number == 7 and self.problem is None
        with self._changed:
            self.problem = problem
            self._changed.notify_all()


def test_an_answer_comes_in_sentences_for_the_ear(server: ChatServer) -> None:
    talk = Talk(server, "small").ask(Exchange("Hello.", "Hi, what can")).whole()
    assert talk.problem == ""
    assert talk.sentences == ["Honey keeps for years.", "It holds hardly any water, so nothing can grow in it!"]
    (asked,) = server.asked
    assert asked["stream"] is True and asked["model"] == "small" and server.paths == ["/v1/chat/completions"]
    system, *rest = asked["messages"]
    assert system["role"] == "system" and "one to three short spoken sentences" in system["content"]
    assert rest == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hi, what can"},
        {"role": "user", "content": "Why does honey keep?"},
    ]


def test_the_first_sentence_is_there_while_the_rest_is_still_written(server: ChatServer) -> None:
    talk = Talk(server, "halting").ask()
    talk.until(lambda: talk.sentences == ["The first part is here."])
    assert talk.problem is None
    server.go.set()
    assert talk.whole().sentences[1:] == ["The second part too."] and talk.problem == ""


@pytest.mark.parametrize("model", ["halting", "slow"])
def test_giving_up_closes_the_connection(server: ChatServer, model: str) -> None:
    talk = Talk(server, model).ask()
    server.until(lambda: len(server.asked) == 1)
    if model == "halting":
        talk.until(lambda: bool(talk.sentences))
    talk.give_up()
    if model == "halting":
        server.until(lambda: server.cut == 1)
    before = list(talk.sentences)
    server.go.set()
    # Nothing comes of it any more, and another question is answered.
    assert Talk(server, "small").ask().whole().problem == ""
    assert talk.sentences == before and talk.problem is None


def test_a_request_that_was_cut_before_it_began_asks_nothing(server: ChatServer) -> None:
    request = Request(read_address(server.url))
    request.cut()
    with pytest.raises(CutError):
        list(request.words("small", []))
    assert not server.asked


@pytest.mark.parametrize(
    ("model", "problem", "said"),
    [
        ("unknown", "has no model unknown: choose another one", []),
        ("faulty", "reports a fault of its own (error 500)", []),
        ("locked", "wants a key", []),
        ("garbage", "is no chat program", []),
        ("page", "is no chat program", []),
        ("cut", "broke off", ["This much is known."]),
        ("cut-at-once", "broke off", []),
        ("late-error", "is no chat program", ["It begins well."]),
    ],
)
def test_what_goes_wrong_is_told_in_a_sentence(server: ChatServer, model: str, problem: str, said: list[str]) -> None:
    talk = Talk(server, model).ask().whole()
    assert talk.problem and problem in talk.problem and talk.problem.endswith(".")
    assert talk.sentences == said


@pytest.mark.parametrize(
    ("model", "bounds", "problem"),
    [("slow", HASTY, "did not begin"), ("dripping", HASTY, "did not begin"), ("halting", BRIEF, "too long")],
)
def test_nothing_is_waited_for_without_end(server: ChatServer, model: str, bounds: Bounds, problem: str) -> None:
    talk = Talk(server, model, bounds).ask().whole()
    assert talk.problem and problem in talk.problem


def test_an_answer_without_end_is_left_after_a_while(server: ChatServer) -> None:
    talk = Talk(server, "endless").ask().whole()
    assert talk.problem == ""
    assert MOST_CHARACTERS <= sum(map(len, talk.sentences)) < MOST_CHARACTERS + 100
    server.until(lambda: server.cut == 1)


def test_an_answer_that_cannot_be_said_is_a_problem(server: ChatServer) -> None:
    server.answers["coder"] = ["<think>Let me see. Ah.</think>\n\n", "```python\n", "print('Hello. You.')\n", "```"]
    talk = Talk(server, "coder").ask().whole()
    assert talk.problem and "nothing that can be said" in talk.problem and not talk.sentences


def test_where_nobody_listens_it_says_what_to_do() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = read_address(f"127.0.0.1:{closed.getsockname()[1]}")
        with pytest.raises(BrainError, match=r"Nothing answers at 127\.0"):
            listed(address)


def test_the_models_are_listed(server: ChatServer) -> None:
    names = listed(read_address(server.url))
    assert "small" in names and names == sorted(names, key=str.casefold)
    with pytest.raises(BrainError, match="no chat program"):
        listed(read_address(server.url + "/elsewhere"))


def test_a_trial_tells_how_it_went(server: ChatServer) -> None:
    address = read_address(server.url)
    told = try_out(address, "small", PATIENT)
    assert told.startswith("small answered after ") and told.endswith(" s: Honey keeps for years.")
    with pytest.raises(BrainError, match="No larger model is chosen"):
        try_out(address, "", PATIENT)
    with pytest.raises(BrainError, match="has no model big"):
        try_out(address, "big", PATIENT)


@pytest.mark.parametrize(
    ("text", "name", "path", "here"),
    [
        ("localhost:11434", "localhost:11434", "/v1", True),
        ("http://127.0.0.1:8080/", "127.0.0.1:8080", "/v1", True),
        ("http://[::1]:1234/v1/", "[::1]:1234", "/v1", True),
        ("http://localhost:1234/v1/chat/completions", "localhost:1234", "/v1", True),
        ("https://brain.home/api", "brain.home:443", "/api/v1", False),
        ("192.168.0.7:11434", "192.168.0.7:11434", "/v1", False),
        ("localhost.example.org", "localhost.example.org:80", "/v1", False),
    ],
)
def test_addresses(text: str, name: str, path: str, here: bool) -> None:
    address = read_address(text)
    assert (address.name, address.path, address.is_here) == (name, path, here)
    assert usable_address(text, anywhere=True) == address
    if not here:
        with pytest.raises(BrainError, match="is another computer"):
            usable_address(text, anywhere=False)


@pytest.mark.parametrize(
    "text",
    ["", "  ", "ftp://localhost", "http://", "localhost:99999", "http://me:secret@localhost", "a b", "x" * 400,
     "http://localhost/v1?key=1", "file:///etc/passwd", "http://[::1", "localhost:0"],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BrainError, match="no address of a chat program"):
        read_address(text)
