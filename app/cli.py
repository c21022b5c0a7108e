"""The `banter` command: argument parsing only. Each verb calls one function elsewhere, imported when it is
needed.

Exit codes: 0 done, 1 the Banter that runs did not do what it was told, 2 bad input (one sentence on stderr says what;
in a batch, at least one line failed), 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import multiprocessing
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from app import paths

BAD_INPUT = 2
INTERRUPTED = 130

_FORM = """\
A line of a batch is {"audio": FILE} or {"text": QUESTION} with, where wanted,
"image": FILE, "history": [{"q": …, "a": …}, …], "out": FILE, "voice": NAME, "seed": N.
One JSON line is printed for each; a line that fails gives {"error": …}, the others go on, and the
exit code is 2 at the end. Exit codes otherwise: 0 done, 2 bad input, 130 interrupted."""


_CLOCK = """\
The clock is virtual: nothing is heard and nothing waits. --compute says how long the model
takes on it: "measured" (the default) as long as each step takes on this computer, "instant"
no time, "FIRST,STEP" so many milliseconds from the end of the question to the first 80 ms of
speech, and for each 80 ms more. With a --seed and any of the last two, the same recording
gives the same two files, byte for byte.

A report of a turn (BUNDLE.zip, from the menu of a message) is replayed with the settings, keys,
seed and computing times of then, and what is different now is said at the end."""


class _Parser(argparse.ArgumentParser):
    """A parser that complains in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with `argv` (the process's own arguments when None); returns the exit code."""
    multiprocessing.freeze_support()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # JSON is UTF-8, whatever code page a terminal or a pipe has.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = _run(_parser().parse_args(argv))
        if sys.stdout is not None:  # there is none behind a window without a terminal
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`banter voices | head -1`); keep Python from flushing into it at
        # exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="banter", description="A voice assistant that runs on this computer. Without a verb: its window."
    )
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    running = parser.add_argument_group("a Banter that runs already", "for key bindings of the window manager")
    running = running.add_mutually_exclusive_group()
    for what, words in (
        ("toggle-talk", "begin to talk, or end the question and send it"),
        ("show", "show its window"),
        ("quit", "end it"),
    ):
        running.add_argument(f"--{what}", dest="tell", action="store_const", const=what, help=words)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")

    ask = verbs.add_parser(
        "ask",
        help="answer a question from a sound file or a text",
        epilog=_FORM,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    ask.add_argument("audio", nargs="?", type=Path, metavar="Q.wav", help="a spoken question, 0.2 to 60 seconds")
    ask.add_argument("--text", metavar="T", help="a typed question, at most 500 characters")
    ask.add_argument("--image", type=Path, metavar="P.png", help="a picture that the question is about")
    ask.add_argument("--batch", type=Path, metavar="Q.jsonl", help="a question a line, see below")
    ask.add_argument("--voice", default="", metavar="V", help="who answers: a name (`banter voices`) or a voice file")
    ask.add_argument("--out", type=Path, metavar="A.wav", help="write the spoken answer here, 24 kHz mono")
    ask.add_argument("--json", action="store_true", help="print the answer and its timings as JSON")
    ask.add_argument("--seed", type=_whole, metavar="N", help="the same seed gives the same answer")
    ask.add_argument("--history", type=Path, metavar="H.json", help='earlier turns: [{"q": …, "a": …}, …]')
    _add_model(ask)

    say = verbs.add_parser("say", help="read a text aloud")
    say.add_argument("text", metavar="TEXT", help="what to say, at most 5000 characters; - reads it from stdin")
    say.add_argument("--voice", default="", metavar="V", help="who says it: a name (`banter voices`) or a voice file")
    say.add_argument("--out", type=Path, metavar="X.wav", help="write it here, 24 kHz mono, and play nothing")
    say.add_argument("--json", action="store_true", help="print its length and timings as JSON")
    say.add_argument("--seed", type=_whole, metavar="N", help="the same seed gives the same sound")
    _add_model(say)

    replay = verbs.add_parser(
        "replay",
        help="let a recorded user talk to the assistant, without sound devices",
        epilog=_CLOCK,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    replay.add_argument("audio", type=Path, metavar="USER.wav", help="what the microphone hears, or a BUNDLE.zip")
    replay.add_argument("--out", type=Path, metavar="BOTH.wav", help="write both: user left, assistant right")
    replay.add_argument("--json", type=Path, metavar="EVENTS.json", help="write the events here, not to stdout")
    replay.add_argument("--tail", type=_number, default=30.0, metavar="S", help="go on so long after its end (30)")
    replay.add_argument("--voice", default="", metavar="V", help="who answers (see `banter voices`)")
    _add_clock(replay)
    replay.set_defaults(compute=None)
    _add_model(replay)

    bench = verbs.add_parser("bench", help="measure speed and memory, turn-taking, or the switches of speech")
    bench.add_argument(
        "what",
        nargs="?",
        choices=("speed", "full-size", "duplex", "compare"),
        default="speed",
        help="speed (default); full-size: beside a plain implementation; duplex; compare: the switches of speech",
    )
    bench.add_argument("--json", action="store_true", help="print the figures as JSON")
    bench.add_argument("--model", type=Path, metavar="FOLDER", help="another model than the bundled one")
    duplex = bench.add_argument_group("duplex", "turn-taking in conversations with a synthesised user")
    duplex.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="write scores.json and every conversation here; with compare: every reply",
    )
    duplex.add_argument("--threads", type=_threads, default=2, metavar="N", help="threads to use (2)")
    _add_clock(duplex)
    switches = bench.add_argument_group("compare", "stored sentences, said with every switch of speech generation")
    switches.add_argument("--seeds", type=_threads, default=3, metavar="N", help="replies to each sentence (3)")
    switches.add_argument("--clip", type=Path, metavar="FILE", help="speech to clone (the model's own)")
    switches.add_argument("--judge", type=Path, metavar="FOLDER", help="a faster-whisper model, to count word errors")

    models = verbs.add_parser("models", help="list the models, or download, import, verify, remove them")
    models.add_argument("what", nargs="?", default="list", choices=("list", "download", "import", "verify", "remove"))
    models.add_argument("item", nargs="?", default="", metavar="X", help="a model's name, with import a folder")
    models.add_argument("--json", action="store_true", help="with list: print it as JSON")

    voices = verbs.add_parser("voices", help="list the voices, or make, import, export, rename, delete your own")
    voices.add_argument(
        "what", nargs="?", default="list", choices=("list", "make", "import", "export", "rename", "delete")
    )
    voices.add_argument("items", nargs="*", metavar="X", help="make CLIP, import FILE, export NAME FILE, …")
    voices.add_argument("--name", default="", metavar="N", help="with make: how the voice is called (the file's name)")
    voices.add_argument(
        "--permission",
        action="store_true",
        help="with make: this is your voice, or you have the speaker's permission",
    )
    _add_model(voices)
    return parser


def _add_clock(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--compute", default="measured", metavar="C", help="measured, instant, or FIRST,STEP in ms")
    parser.add_argument("--seed", type=_whole, metavar="N", help="every turn is answered with this seed")


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="another model than the bundled one")
    parser.add_argument("--threads", type=_threads, default=2, metavar="N", help="threads to use (2)")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _threads(text: str) -> int:
    number = _whole(text)
    most = os.cpu_count() or 1
    if not 1 <= number <= most:
        raise argparse.ArgumentTypeError(f"this computer has 1 to {most} threads to give, not {number}")
    return number


def _run(options: argparse.Namespace) -> int:
    if options.version:
        print(f"banter {_version()}")
        return 0
    if options.tell is not None:
        if options.verb is not None:
            return _complain(f"--{options.tell} takes no verb.")
        from app.gui.desktop.remote import tell

        return tell(options.tell)
    match options.verb:
        case "ask":
            return _ask(options)
        case "say":
            return _say(options)
        case "voices":
            return _voices(options)
        case "models":
            return _models(options)
        case "replay":
            return _replay(options)
        case "bench":
            measures = {"duplex": _duplex, "full-size": _full_size, "compare": _compare}
            return measures.get(options.what, _bench)(options)
        case _:
            from app.gui.main import main as window

            return window([])


def _version() -> str:
    try:
        return importlib.metadata.version("banter")
    except importlib.metadata.PackageNotFoundError:
        return "(a checkout that is not installed)"


def _ask(options: argparse.Namespace) -> int:
    from app import ask
    from app.audiofile import AudioFileError

    model = ask.Model(options.model or paths.starter_model(), options.threads)
    try:
        if options.batch is None:
            history = ask.read_history(options.history) if options.history else ()
            question = ask.Question(
                options.audio, options.text, history, options.voice, options.seed, options.out, options.image
            )
            ask.ask(question, model, as_json=options.json)
            return 0
        given = (options.audio, options.text, options.image, options.history, options.out)
        if any(item is not None for item in given):
            raise ask.AskError("With --batch, questions, pictures, histories and outputs stand in the batch file.")
        default = ask.Question(voice=options.voice, seed=options.seed)
        failed, total = ask.ask_batch(options.batch, model, default)
    except (ask.AskError, AudioFileError) as error:
        return _complain(str(error))
    if failed:
        return _complain(f'{failed} of {total} lines failed; their "error" says why.')
    return 0


def _say(options: argparse.Namespace) -> int:
    from app import ask, say
    from app.audiofile import AudioFileError

    words = say.Words(options.text, options.voice, options.seed, options.out)
    try:
        say.say(words, ask.Model(options.model or paths.starter_model(), options.threads), as_json=options.json)
    except (ask.AskError, AudioFileError) as error:
        return _complain(str(error))
    return 0


def _voices(options: argparse.Namespace) -> int:
    from app import ask, own_voices
    from app.audiofile import AudioFileError
    from app.voices.file import VoiceError

    model = ask.Model(options.model or paths.starter_model(), options.threads)
    try:
        if options.what == "list":
            ask.list_voices(model)
        else:
            own_voices.run(options.what, options.items, options.name, options.permission, model)
    except (ask.AskError, AudioFileError, VoiceError, FileNotFoundError) as error:
        return _complain(str(error))
    return 0


def _models(options: argparse.Namespace) -> int:
    from app.hub import commands
    from app.hub.errors import HubError

    try:
        commands.run(options.what, options.item, as_json=options.json)
    except HubError as error:
        return _complain(str(error))
    return 0


def _replay(options: argparse.Namespace) -> int:
    from app import ask
    from app.audiofile import AudioFileError
    from app.replay.files import Job, replay

    job = Job(options.audio, options.out, options.json, options.compute, options.seed, options.voice, options.tail)
    try:
        replay(job, ask.Model(options.model or paths.starter_model(), options.threads))
    except (ask.AskError, AudioFileError) as error:
        return _complain(str(error))
    return 0


def _duplex(options: argparse.Namespace) -> int:
    from app import ask
    from app.audiofile import AudioFileError
    from app.replay import bench
    from app.replay.speech import SynthesisError

    model = ask.Model(options.model or paths.starter_model(), options.threads)
    try:
        bench.bench(model, options.compute, options.seed, options.out, as_json=options.json)
    except (ask.AskError, AudioFileError, SynthesisError) as error:
        return _complain(str(error))
    return 0


def _full_size(options: argparse.Namespace) -> int:
    from app import bench

    result = bench.full_size(as_json=options.json)
    return 0 if result is None else _complain(result)


def _compare(options: argparse.Namespace) -> int:
    from app import ask, compare
    from app.audiofile import AudioFileError

    try:
        compare.run(
            ask.Model(options.model or paths.starter_model(), options.threads),
            options.seeds,
            clip=options.clip,
            judge=options.judge,
            out=options.out,
            as_json=options.json,
        )
    except (ask.AskError, AudioFileError) as error:
        return _complain(str(error))
    return 0


def _bench(options: argparse.Namespace) -> int:
    from app import bench

    if options.out is not None or options.seed is not None or options.compute != "measured":
        return _complain("--out, --compute and --seed belong to the bench of turn-taking: bench duplex.")
    if not bench.bench(options.model or paths.starter_model(), as_json=options.json):
        return _complain("Not every case could be measured; its row says why.")
    return 0


def _complain(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return BAD_INPUT
