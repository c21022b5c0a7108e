"""Joins the larger model that the settings name to the conversation, and tries it out for the settings."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from PySide6.QtCore import QObject

from app.brain.address import Address, BrainError, usable_address
from app.brain.brain import Brain
from app.brain.trial import NO_MODEL, listed, try_out
from app.conversation.controller import Conversation
from app.gui.posting import Posting
from app.gui.preferences.dialog import PreferencesWindow
from app.gui.preferences.larger_model import LargerModelPage
from app.gui.preferences.preferences import Preferences
from app.gui.sentences import shown
from app.gui.window import MainWindow
from app.omni.turn import ModelInfo
from app.settings import Settings

T = TypeVar("T")
FIELDS = ("offline", "brain", "brain_address", "brain_model", "brain_scope", "brain_anywhere")


class LargerModel(QObject):
    """Lives on the window's thread; whatever speaks to another program does so on a thread of its own."""

    def __init__(
        self, window: MainWindow, conversation: Conversation, preferences: Preferences, settings: Settings
    ) -> None:
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        self._settings = settings
        self._post = Posting(self)
        self._page: LargerModelPage | None = None
        self._english = True
        # Whether the model in use tells when it does not know.
        self._tells = True
        # What was asked for last; answers to anything before it come too late.
        self._wanted = 0
        preferences.changed.connect(self._settings_changed)
        preferences.made.connect(self._page_made)
        self._attach()

    def model_ready(self, info: ModelInfo) -> None:
        """This model speaks the answers from now on."""
        self._english, self._tells = info.languages == ("en",), bool(info.unknown)
        if self._page is not None:
            self._page.show_telling(self._tells)
        self._attach()

    def close(self) -> None:
        """Ask nothing any more."""
        self._wanted += 1
        self._post.close()

    # --- inside

    def _settings_changed(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        if any(getattr(before, name) != getattr(settings, name) for name in FIELDS):
            self._wanted += 1
            if self._page is not None:
                self._page.show_result(True, "")
            self._attach()

    def _attach(self) -> None:
        """Have the conversation ask what the settings say."""
        settings, brain, problem = self._settings, None, ""
        if settings.brain:
            try:
                address = usable_address(settings.brain_address, settings.brain_anywhere and not settings.offline)
                if not settings.brain_model:
                    raise BrainError(NO_MODEL)
                talk = self._conversation
                brain = Brain(address, settings.brain_model, talk.brain_said, talk.brain_ended, self._english)
            except BrainError as error:
                problem = shown(str(error))
        self._conversation.attach_brain(brain, settings.brain_scope)
        self._window.show_notice("brain", problem)

    def _page_made(self, dialog: PreferencesWindow) -> None:
        self._page = page = dialog.larger_model
        page.show_telling(self._tells)
        page.list_clicked.connect(self._list)
        page.trial_clicked.connect(self._try)

    def _list(self) -> None:
        self._work(self.tr("Asking the program which models it has…"), listed, self._offer)

    def _try(self) -> None:
        model = self._settings.brain_model
        self._work(self.tr("Waiting for the answer…"), lambda address: try_out(address, model), self._told)

    def _offer(self, page: LargerModelPage, names: list[str]) -> None:
        page.offer(names)

    def _told(self, page: LargerModelPage, words: str) -> None:
        page.show_result(True, shown(words))

    def _work(self, words: str, ask: Callable[[Address], T], then: Callable[[LargerModelPage, T], None]) -> None:
        """Show `words` while `ask` runs on a thread of its own, and `then` what it gives."""
        page, settings = self._page, self._settings
        if page is None:
            return
        self._wanted += 1
        number = self._wanted
        page.show_busy(words)

        def done(show: Callable[[], None]) -> None:
            if number == self._wanted:
                # The window of the settings may have been deleted meanwhile.
                with suppress(RuntimeError):
                    show()

        def work() -> None:
            try:
                found = ask(usable_address(settings.brain_address, settings.brain_anywhere and not settings.offline))
            except BrainError as error:
                problem = str(error)
                self._post(lambda: done(lambda: page.show_result(False, shown(problem))))
            else:
                self._post(lambda: done(lambda: then(page, found)))

        threading.Thread(target=work, name="brain", daemon=True).start()
