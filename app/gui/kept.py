"""Joins the window's list of conversations to the store, the transcript and the turn-taking."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QStandardPaths, QTimer
from PySide6.QtWidgets import QFileDialog

from app.conversation.controller import Conversation
from app.gui.bubble import Entry, Side
from app.gui.one_dialog import OneDialog
from app.gui.posting import Posting
from app.gui.retention import DAYS, Retention
from app.gui.sentences import shown
from app.gui.sounds import RATE, Sounds
from app.gui.transcript import Transcript
from app.gui.window import MainWindow
from app.history import sound
from app.history.export import ExportError, export
from app.history.keeper import Keeper
from app.history.records import Message, Summary
from app.history.store import Store
from app.settings import Keep, Settings

T = TypeVar("T")
SOUND_MOST_BYTES = 200 << 20
REFRESH_MS = 60


class Kept(QObject):
    """The conversations that are kept, as the window shows them. Lives on the window's thread.

    Questions to the store are answered from the keeper's thread through a signal, so nothing here waits.
    """

    def __init__(
        self,
        window: MainWindow,
        conversation: Conversation,
        file: Path | None,
        settings: Settings,
        remember: Callable[..., None],
    ) -> None:
        """`file` is the store, None for memory alone; `remember(name=value)` changes a setting for good."""
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        # Whose voice the answers have.
        self.voice = ""
        self._current: str | None = None
        self._wanted: str | None = None
        self._rows: tuple[Summary, ...] = ()
        self._search = 0
        self._sounds = Sounds()
        self._fresh: tuple[int, NDArray[np.float32]] | None = None
        self._dialogs = OneDialog()
        self._post = Posting(self)
        place = None if settings.keep == Keep.NOT_AT_ALL else file
        self._keeper = Keeper(place, on_notice=self._on_notice, days=DAYS.get(settings.keep))
        self.retention = Retention(window, self, file, settings, remember)
        self._refresher = QTimer(self)
        self._refresher.setSingleShot(True)
        self._refresher.setInterval(REFRESH_MS)
        self._refresher.timeout.connect(self._refresh)
        sidebar = window.sidebar
        sidebar.new_clicked.connect(self.new)
        sidebar.opened.connect(self.open)
        sidebar.renamed.connect(self._rename)
        sidebar.delete_wanted.connect(self._delete)
        sidebar.undone.connect(self._undo)
        sidebar.export_wanted.connect(self._export)
        sidebar.search_typed.connect(lambda text: self._refresh())
        window.new_conversation_requested.connect(self.new)
        window.transcript.again_wanted.connect(self._say_again)
        window.transcript.tools_changed.connect(self._change_tools)
        self._refresh()

    @property
    def current(self) -> str | None:
        """The conversation that is open; None before its first message."""
        return self._current

    def close(self) -> None:
        """Save what is left. May take some seconds where the disk is slow."""
        self._post.close()
        self._refresher.stop()
        self._keeper.close()

    # --- what is said

    def hear(self, turn: int, samples: NDArray[np.float32]) -> None:
        """The speech of the answer to `turn`; its words follow with `add`."""
        self._fresh = (turn, samples)

    def has_sound(self, turn: int) -> bool:
        """Whether the speech of the answer to `turn` is there."""
        return self._fresh is not None and self._fresh[0] == turn

    def add(self, entry: Entry) -> None:
        """Keep a finished message."""
        if self._current is None:
            self._current = self._wanted = uuid.uuid4().hex
        conversation = self._current
        message, samples = _message(entry, self.voice), None
        if entry.side == Side.ASSISTANT and self._fresh is not None and self._fresh[0] == entry.turn:
            samples = self._fresh[1]
            self._sounds.put(entry.key, samples)
            self._fresh = None
        keep_sound = self.retention.keeps_sound

        def change(store: Store) -> None:
            flac = sound.pack(samples, RATE) if samples is not None and keep_sound else None
            store.add(conversation, message, flac, SOUND_MOST_BYTES)

        self._keeper.change(change)
        self._refresher.start()

    def _change_tools(self, entry: Entry) -> None:
        self._keeper.change(lambda store: store.set_tools(entry.key, entry.tools))

    def _say_again(self, entry: Entry) -> None:
        samples = self._sounds.get(entry.key)
        if samples is not None:
            self._play(samples)
        else:
            self._ask(lambda store: store.sound(entry.key), self._unpack_and_play)

    def _unpack_and_play(self, flac: bytes | None) -> None:
        if flac is None:
            self._window.show_problem(self.tr("The sound of this answer is no longer kept."))
            return
        # Decoding a minute of speech takes some 30 ms, so it is not done on this thread.
        self._ask(lambda store: sound.unpack(flac)[0], self._play)

    def _play(self, samples: NDArray[np.float32]) -> None:
        if not self._conversation.say_again(samples):
            self._window.show_problem(
                self.tr("It can be said again when there is a loudspeaker, the model is ready and you are not talking.")
            )

    # --- which conversation

    def new(self) -> None:
        """Begin another one."""
        # Ends a turn under way, whose messages still go to the former conversation.
        self._conversation.start_afresh()
        self._current = self._wanted = None
        self._window.transcript.clear()
        self._window.transcript.setFocus()
        self._window.sidebar_done()
        self._refresher.start()

    def open(self, conversation: str) -> None:
        """Show an earlier one, and go on with it."""
        self._wanted = conversation
        if conversation == self._current:
            self._window.sidebar_done()
            return

        def answer(messages: list[Message]) -> None:
            if self._wanted == conversation:
                self._show(conversation, messages)

        self._ask(lambda store: store.messages(conversation, Transcript.MOST + 1), answer)

    def _show(self, conversation: str, messages: list[Message]) -> None:
        self._conversation.resume(exchanges(messages))
        self._current = conversation
        entries = [_entry(message, self._sounds.has(message.key)) for message in messages]
        self._window.transcript.show_entries(entries)
        self._window.transcript.setFocus()
        self._window.sidebar_done()
        self._show_list()

    def _rename(self, conversation: str, title: str) -> None:
        self._keeper.change(lambda store: store.rename(conversation, title))
        self._refresher.start()

    def _delete(self, conversation: str) -> None:
        row = next((one for one in self._rows if one.id == conversation), None)
        if row is None:
            return
        if conversation == self._current:
            self._conversation.start_afresh()
            self._current = self._wanted = None
            self._window.transcript.clear()
        self._keeper.change(lambda store: store.delete(conversation))
        self._window.sidebar.bar.offer(conversation, self._window.sidebar.list.rows.title(row))
        self._refresh()

    def _undo(self, conversation: str) -> None:
        self._keeper.change(lambda store: store.restore(conversation))
        if self._current is None:
            self.open(conversation)
        self._refresh()

    # --- the list

    def _refresh(self) -> None:
        typed = self._window.sidebar.field.text()
        self._search += 1
        number = self._search

        def question(store: Store) -> list[Summary] | None:
            # While the user types on, only the last search is worth its time.
            return store.search(typed) if number == self._search else None

        def answer(rows: list[Summary] | None) -> None:
            if rows is not None and number == self._search:
                self._rows = tuple(rows)
                self._show_list()

        self._ask(question, answer)

    def _show_list(self) -> None:
        self._window.sidebar.show_list(self._rows, self._current)

    # --- export

    def _export(self, conversation: str, ending: str) -> None:
        row = next((one for one in self._rows if one.id == conversation), None)
        title = row.title if row else ""
        name = re.sub(r'[\x00-\x1f<>:"/\\|?*]+', " ", title).strip(" .")[:80] or "Banter"
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self._window, self.tr("Export the conversation"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        kinds = {"md": self.tr("Markdown (*.md)"), "json": self.tr("JSON (*.json)")}
        dialog.setNameFilters([kinds.get(ending, self.tr("FLAC (*.flac)"))])
        if folder:
            dialog.setDirectory(folder)
        dialog.selectFile(f"{name}.{ending}")
        dialog.fileSelected.connect(lambda file: self.export_to(conversation, Path(file)))
        self._dialogs.open(dialog)

    def export_to(self, conversation: str, file: Path) -> None:
        """Write `conversation` to `file`; the ending says how."""

        def question(store: Store) -> str:
            try:
                export(store, conversation, file)
            except ExportError as error:
                return str(error)
            return ""

        def answer(problem: str) -> None:
            self._window.show_notice("export", shown(problem))
            if not problem:
                self._window.sidebar.bar.tell(self.tr("Saved as {file}").format(file=file.name))

        self._ask(question, answer)

    # --- how long

    def forget_all(self) -> None:
        """Delete all conversations for good, the present one too."""
        self._conversation.start_afresh()
        self._current = self._wanted = None
        self._window.transcript.clear()
        self._window.sidebar.bar.hide()
        self._sounds = Sounds()
        self._fresh = None
        self._keeper.change(lambda store: store.purge(everything=True))
        self._refresh()

    # --- inside

    def keep_in(self, file: Path | None, days: float | None) -> None:
        """Keep from now on in `file`, for `days`; see `Keeper.keep`."""
        self._keeper.keep(file, days)
        self._refresh()

    def count(self, counts: Callable[[Summary], bool], answer: Callable[[int], None]) -> None:
        """Tell `answer` how many conversations fit."""
        self._ask(lambda store: sum(map(counts, store.conversations())), answer)

    def _ask(self, question: Callable[[Store], T], answer: Callable[[T], None]) -> None:
        self._keeper.ask(question, lambda result: self._post(lambda: answer(result)))

    def _on_notice(self, sentence: str) -> None:
        self._post(lambda: self._window.show_notice("history", shown(sentence)))


def exchanges(messages: list[Message]) -> list[tuple[str, str]]:
    """Questions with what was heard of their answers, as the model is to remember them."""
    found = []
    question = ""
    for message in messages:
        if message.side == Side.USER:
            question = message.text
        elif question:
            found.append((question, message.spoken))
            question = ""
    return found


def _message(entry: Entry, voice: str) -> Message:
    if entry.side == Side.USER:
        return Message(entry.key, entry.side, entry.text, entry.time, tools=entry.tools, picture=entry.picture)
    heard = len(entry.text) if entry.interrupted else None
    return Message(entry.key, entry.side, entry.text + entry.rest, entry.time, heard, voice)


def _entry(message: Message, sound: bool) -> Entry:
    # The turns of this run count from 1, so an earlier one cannot be taken for one of them.
    return Entry(
        0,
        message.side,
        message.spoken,
        message.interrupted,
        rest=message.unheard,
        key=message.key,
        time=message.time,
        sound=message.sound or sound,
        picture=message.picture,
        # What was under way when Banter was closed is not any more.
        tools=tuple(replace(use, state="cancelled") if use.state == "running" else use for use in message.tools),
    )
