"""The picture that goes with the next question: how it comes, what is shown of it, and with which question it went."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from app.conversation.controller import Conversation
from app.gui import icons, theme
from app.gui.one_dialog import OneDialog
from app.gui.pictures.card import PictureCard
from app.gui.pictures.intake import Intake
from app.gui.pictures.reading import ENDINGS, Picture, from_file, from_image
from app.gui.posting import Posting
from app.gui.window import MainWindow
from app.omni.turn import ModelInfo
from app.pictures import PictureError


class Pictures(QObject):
    """Joins what the user drops, pastes or chooses to the conversation. Lives on the window's thread."""

    def __init__(self, window: MainWindow, conversation: Conversation) -> None:
        super().__init__(window)
        self._window = window
        self._conversation = conversation
        # None before the first model is ready.
        self._sees: bool | None = None
        self._model = ""
        self._picture: Picture | None = None
        self._latest: Picture | None = None
        self._asked: tuple[int, Picture] | None = None
        self._reading = 0
        self._post = Posting(self)
        self._dialogs = OneDialog()
        self.card = PictureCard()
        self.card.removed.connect(self._remove)
        self.button = QPushButton()
        self.button.setProperty("kind", "square")
        self.button.setIconSize(QSize(20, 20))
        self.button.setAccessibleName(self.tr("Add a picture"))
        self.button.setToolTip(self.tr("Ask about a picture: choose one here, drop it on the window, or paste it"))
        self.button.clicked.connect(self._choose)
        self.button.hide()
        window.dock.cards.addWidget(self.card)
        window.dock.typing.insertWidget(0, self.button)
        QWidget.setTabOrder(window.dock.stop, self.card.remove)
        QWidget.setTabOrder(self.card.remove, self.button)
        QWidget.setTabOrder(self.button, window.dock.field)
        intake = Intake(window, window.dock.field)
        intake.file_given.connect(self.take_file)
        intake.image_given.connect(lambda image: self._read(lambda: from_image(image)))
        self.button.installEventFilter(self)
        self._dress()

    def close(self) -> None:
        """Take nothing more."""
        self._post.close()
        self._dialogs.close()

    # --- what the conversation tells

    def model_ready(self, info: ModelInfo) -> None:
        """Another model can take turns."""
        self._sees, self._model = info.sees, info.name
        self.button.setVisible(info.sees)
        if self._picture is not None and not info.sees:
            self._put(None)
            self._window.show_problem(self._blind())

    def taken(self, turn: int, image: bytes) -> None:
        """The question of `turn` has been asked with this picture."""
        picture = self._latest
        if picture is None or picture.image != image:
            return
        self._asked = turn, picture
        if self._picture is picture:
            self._show(None)
        self._window.transcript.say_user(turn, picture=picture.jpeg)

    def returned(self, turn: int) -> None:
        """It was no question."""
        if self._asked is None or self._asked[0] != turn:
            return
        self._window.transcript.say_user(turn, picture=b"")
        if self._picture is None:
            self._show(self._asked[1])
        self._asked = None

    # --- what the user does

    def take_file(self, path: Path) -> None:
        """The next question is about the picture in this file."""
        self._read(lambda: from_file(path))

    def _choose(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Choose a picture"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        endings = " ".join(f"*.{ending}" for ending in ENDINGS)
        dialog.setNameFilters([self.tr("Pictures ({endings})").format(endings=endings), self.tr("All files (*)")])
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
        if folder:
            dialog.setDirectory(folder)
        dialog.fileSelected.connect(lambda file: self.take_file(Path(file)))
        self._dialogs.open(dialog)

    def _remove(self) -> None:
        self._put(None)
        self._window.dock.field.setFocus()

    # --- inside

    def _read(self, read: Callable[[], Picture]) -> None:
        """Read on a thread of its own: a photograph takes some tenths of a second."""
        if self._sees is False:
            self._window.show_problem(self._blind())
            return
        self._reading += 1
        number = self._reading

        def work() -> None:
            try:
                picture = read()
            except PictureError as error:
                sentence = str(error)
                self._post(lambda: self._window.show_problem(sentence))
            else:
                self._post(lambda: self._arrived(number, picture))

        threading.Thread(target=work, name="picture", daemon=True).start()

    def _arrived(self, number: int, picture: Picture) -> None:
        # Of several, the last one that was given counts, whichever was read first.
        if number == self._reading and self._sees is not False:
            self._window.show_problem("")
            self._put(picture)
            self._window.dock.field.setFocus()

    def _put(self, picture: Picture | None) -> None:
        self._show(picture)
        if picture is not None:
            self._latest = picture
        self._conversation.show_picture(None if picture is None else picture.image)

    def _show(self, picture: Picture | None) -> None:
        self._picture = picture
        if picture is None:
            self.card.hide()
        else:
            self.card.show_jpeg(picture.jpeg)
        self._window.dock.set_subject(self.tr("Please describe this image.") if picture is not None else "")

    def _blind(self) -> str:
        sentence = QCoreApplication.translate(
            "Sentences", "The model {name} cannot see pictures: ask without one, or choose a model that can see."
        )
        return sentence.format(name=self._model)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.PaletteChange:
            self._dress()
        return False

    def _dress(self) -> None:
        self.button.setIcon(icons.icon("picture", theme.colours().text))
