"""Pictures in the window: how they come in, with which question they go, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import qasync
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, QSize, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import settings
from app.gui.bubble import Entry, Side
from app.gui.pictures import reading
from app.gui.pictures.reading import KEPT_SIDE, from_file, from_image
from app.gui.pictures.thumbnail import Thumbnail
from app.gui.transcript import Transcript
from app.gui.window import MainWindow
from app.history.records import PICTURE_MOST_BYTES
from app.pictures import PictureError, read_picture
from tests.gui.test_assistant import Desk, desk, without_devices

__all__ = ["desk", "without_devices"]


def plain(colour: str, width: int = 320, height: int = 200) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return image


def noisy(width: int, height: int) -> QImage:
    pixels = np.random.default_rng(3).integers(0, 256, (height, width, 4)).astype(np.uint8)
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGB32).copy()


# --- reading


def test_the_model_sees_the_same_whoever_reads_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    noisy(333, 222).save(str(file))
    assert from_file(file).image == read_picture(file)


def test_what_is_kept_is_small_and_keeps_its_sides() -> None:
    picture = from_image(noisy(3_000, 1_500))
    kept = QImage.fromData(picture.jpeg)
    assert kept.size() == QSize(KEPT_SIDE, KEPT_SIDE // 2) and len(picture.jpeg) <= PICTURE_MOST_BYTES
    assert len(picture.image) == 3 * 256 * 256
    thin = QImage.fromData(from_image(plain("red", 4_000, 1)).jpeg)
    assert thin.size() == QSize(KEPT_SIDE, 1)


def test_what_is_transparent_becomes_white() -> None:
    image = QImage(10, 10, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    assert set(from_image(image).image) == {255}


def test_files_that_are_no_pictures_get_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = tmp_path / "good.png"
    plain("red").save(str(good))
    (tmp_path / "page.png").write_text("<html></html>")
    (tmp_path / "drawing.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (tmp_path / "half.png").write_bytes(good.read_bytes()[:60])
    for name, words in (
        ("none.png", "not there"),
        ("page.png", "no picture"),
        ("drawing.svg", "no picture"),
        ("half.png", "damaged"),
    ):
        with pytest.raises(PictureError, match=words) as raised:
            from_file(tmp_path / name)
        assert str(raised.value).startswith(name)
    monkeypatch.setattr(reading, "MOST_PIXELS", 100)
    with pytest.raises(PictureError, match="too large"):
        from_file(good)


# --- the window


@pytest.fixture
def blind(
    qapp: QApplication, qtbot: QtBot, loop: qasync.QEventLoop, tmp_path: Path, without_devices: None
) -> Iterator[Desk]:
    """With a model that cannot see, and that is not ready before the file "slow" is gone."""
    (tmp_path / "blind").touch()
    (tmp_path / "slow").touch()
    desk = Desk(loop, qtbot, tmp_path, settings.Settings())
    yield desk
    desk.assistant.close()
    desk.window.close()


def drop(target: QWidget, data: QMimeData) -> bool:
    """Drag `data` over `target` and let it go; whether it was taken."""
    at, copy = QPoint(20, 20), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at, copy, data, buttons, keys)
    QApplication.sendEvent(target, enter)
    if enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(at), copy, data, buttons, keys))
    return enter.isAccepted()


def of_file(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def test_a_dropped_picture_goes_with_the_next_question_and_is_kept(desk: Desk, tmp_path: Path) -> None:
    window, pictures = desk.window, desk.assistant.pictures
    assert not pictures.button.isVisible()
    desk.until(desk.ready)
    assert pictures.button.isVisible() and pictures.button.accessibleName()
    file = tmp_path / "red.png"
    plain("#ff2000").save(str(file))
    assert drop(window, of_file(file))
    desk.until(pictures.card.isVisible)
    desk.ask("what is this")
    desk.until(lambda: len(desk.entries()) == 2 and desk.ready())
    assert desk.entries()[1].text == "You said: what is this 255 32 0"
    assert not pictures.card.isVisible() and desk.entries()[0].picture
    # Only with that one, and the picture is there when the conversation is opened again.
    desk.ask("and this")
    desk.until(lambda: len(desk.entries()) == 4 and desk.ready())
    assert desk.entries()[3].text == "You said: and this" and not desk.entries()[2].picture
    before, kept = desk.entries()[0].picture, desk.assistant.kept
    conversation = kept.current
    assert conversation is not None
    kept.new()
    assert not desk.entries()
    kept.open(conversation)
    desk.until(lambda: len(desk.entries()) == 4)
    assert [entry.picture for entry in desk.entries()] == [before, b"", b"", b""]


def test_a_pasted_picture_without_a_question_is_to_be_described(desk: Desk) -> None:
    window, pictures = desk.window, desk.assistant.pictures
    desk.until(desk.ready)
    window.dock.field.setFocus()
    QGuiApplication.clipboard().setImage(plain("blue"))
    QTest.keyClick(window.dock.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    desk.until(pictures.card.isVisible)
    assert window.dock.send.isEnabled() and not window.dock.field.text()
    # Taken off again, and pasted where nothing is typed.
    QTest.mouseClick(pictures.card.remove, Qt.MouseButton.LeftButton)
    assert not pictures.card.isVisible() and not window.dock.send.isEnabled()
    window.transcript.setFocus()
    QTest.keyClick(window.transcript, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    desk.until(pictures.card.isVisible)
    QTest.keyClick(window.dock.field, Qt.Key.Key_Return)
    desk.until(lambda: len(desk.entries()) == 2 and desk.ready())
    assert desk.entries()[0].text == "Please describe this image."
    assert desk.entries()[1].text == "You said: Please describe this image. 0 0 255"


def test_words_are_pasted_and_dropped_as_words(desk: Desk) -> None:
    desk.until(desk.ready)
    field, data = desk.window.dock.field, QMimeData()
    data.setText("some words")
    # As a spreadsheet copies them.
    data.setImageData(plain("blue"))
    field.setFocus()
    QGuiApplication.clipboard().setMimeData(data)
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == "some words"
    words = QMimeData()
    words.setText("more")
    assert not drop(desk.window, words)


def test_a_file_that_is_no_picture_says_so_and_takes_nothing_away(desk: Desk, tmp_path: Path) -> None:
    desk.until(desk.ready)
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    plain("red").save(str(good))
    bad.write_text("no picture")
    desk.assistant.pictures.take_file(good)
    desk.until(desk.assistant.pictures.card.isVisible)
    desk.assistant.pictures.take_file(bad)
    desk.until(lambda: "bad.png is no picture" in desk.window.dock.status_text())
    assert desk.assistant.pictures.card.isVisible()


def test_a_model_that_cannot_see_has_no_button_and_gives_the_reason(blind: Desk, tmp_path: Path) -> None:
    file = tmp_path / "red.png"
    plain("red").save(str(file))
    # Before the model is ready nobody knows.
    blind.assistant.pictures.take_file(file)
    blind.until(blind.assistant.pictures.card.isVisible)
    (tmp_path / "slow").unlink()
    blind.until(lambda: "scripted cannot see pictures" in blind.window.dock.status_text())
    assert not blind.assistant.pictures.card.isVisible() and not blind.assistant.pictures.button.isVisible()
    blind.ask("hello")
    blind.until(lambda: len(blind.entries()) == 2 and blind.ready())
    assert blind.entries()[1].text == "You said: hello"
    assert drop(blind.window, of_file(file))
    assert "scripted cannot see pictures" in blind.window.dock.status_text()


# --- the bubble


def test_the_picture_stands_above_the_words_within_the_bubble(window: MainWindow, qtbot: QtBot) -> None:
    transcript: Transcript = window.transcript
    transcript.say_user(1, "", picture=from_image(plain("red", 800, 300)).jpeg)
    transcript.say_user(1, "What is this?")
    qtbot.wait(10)
    bubble = transcript._bubbles[0]
    (thumbnail,) = bubble.findChildren(Thumbnail)
    frame, words = bubble.frame_box(), bubble._text.geometry()
    assert QRect(0, 0, frame.width(), frame.height()).contains(thumbnail.geometry())
    assert thumbnail.geometry().bottom() < words.top() and bubble.height() >= frame.bottom()
    assert thumbnail.width() / thumbnail.height() == pytest.approx(800 / 300, rel=0.05)
    painted = QImage(thumbnail.size(), QImage.Format.Format_RGB32)
    painter = QPainter(painted)
    thumbnail.render(painter, QPoint())
    painter.end()
    assert painted.pixelColor(thumbnail.rect().center()).red() > 240
    assert "with a picture" in bubble.accessibleName()
    # It was no question after all.
    transcript.say_user(1, picture=b"")
    assert transcript.entries() == [Entry(1, Side.USER, "What is this?")]
    assert "with a picture" not in bubble.accessibleName()
