"""Pictures from files and from the clipboard: as the model sees them, and small ones to show and keep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QFileInfo, QIODevice, QMimeData, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QImageWriter, QPainter

from app.history.records import PICTURE_MOST_BYTES
from app.pictures import MOST_BYTES, MOST_PIXELS, WORK_SIDE, PictureError, Pixels, squeezed

# What is shown and kept has no longer side.
KEPT_SIDE = 512
_QUALITIES = (85, 70, 50, 25)
# No drawings: they may fetch what they show from elsewhere.
_FORMATS = {"jpeg": "jpg", "png": "png", "webp": "webp", "gif": "gif", "bmp": "bmp", "tiff": "tif"}
ENDINGS = (*_FORMATS.values(), "jpeg", "tiff")

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Picture:
    """`image`: as the model sees it, see `TurnRequest`; `jpeg`: a small file to show and keep, sides as they were."""

    image: bytes
    jpeg: bytes


def from_file(path: Path) -> Picture:
    """The picture in a file, upright; of an animation the first frame. Raises PictureError with a translated sentence.

    May be called on any thread.
    """
    info = QFileInfo(str(path))
    if not info.isFile():
        raise PictureError(translate("Pictures", "{file} is not there any more.").format(file=path.name))
    if info.size() > MOST_BYTES:
        raise PictureError(_too_large(path.name))
    reader = QImageReader(str(path))
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    if bytes(reader.format().data()).decode("ascii", "replace") not in _FORMATS:
        raise PictureError(
            translate("Pictures", "{file} is no picture that Banter can read: use PNG, JPEG, WebP, GIF, BMP or TIFF.")
            .format(file=path.name)
        )  # fmt: skip
    size = reader.size()
    if size.width() * size.height() > MOST_PIXELS:
        raise PictureError(_too_large(path.name))
    if max(size.width(), size.height()) > WORK_SIDE:
        # Some formats need not even be unpacked whole for it.
        reader.setScaledSize(size.scaled(WORK_SIDE, WORK_SIDE, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(_LEAST))
    image = reader.read()
    if image.isNull():
        raise PictureError(
            translate("Pictures", "{file} cannot be shown, it is damaged: choose another picture.")
            .format(file=path.name)
        )  # fmt: skip
    return from_image(image)


def from_image(image: QImage) -> Picture:
    """The same of a picture that is there already. Raises PictureError for an empty one."""
    if image.isNull():
        raise PictureError(translate("Pictures", "There is no picture in what was pasted: copy it again."))
    if max(image.width(), image.height()) > WORK_SIDE:
        image = _reduced(image, WORK_SIDE)
    flat = QImage(image.size(), QImage.Format.Format_RGB888)
    flat.fill(Qt.GlobalColor.white)
    painter = QPainter(flat)
    painter.drawImage(0, 0, image)
    painter.end()
    return Picture(squeezed(_pixels(flat)), _jpeg(_reduced(flat, KEPT_SIDE)))


def holds_picture(data: QMimeData) -> bool:
    """Whether something that is dragged or pasted may be a picture."""
    return data.hasImage() or _local_file(data) is not None


def picture_in(data: QMimeData) -> Path | QImage | None:
    """The picture in it: the file that is meant, or the picture itself."""
    file = _local_file(data)
    if file is not None:
        return file
    image = data.imageData() if data.hasImage() else None
    return image if isinstance(image, QImage) else None


def _local_file(data: QMimeData) -> Path | None:
    names = (url.toLocalFile() for url in data.urls() if url.isLocalFile())
    return next((Path(name) for name in names if name), None)


_LEAST = QSize(1, 1)


def _reduced(image: QImage, side: int) -> QImage:
    if max(image.width(), image.height()) <= side:
        return image
    size = image.size().scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(_LEAST)
    return image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)


def _pixels(image: QImage) -> Pixels:
    """uint8 [H, W, 3] of an image in RGB888; its rows are padded to whole words."""
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def _jpeg(image: QImage) -> bytes:
    content = b""
    for quality in _QUALITIES:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        writer = QImageWriter(buffer, QByteArray(b"jpg"))
        writer.setQuality(quality)
        writer.write(image)
        content = bytes(buffer.data().data())
        if len(content) <= PICTURE_MOST_BYTES:
            break
    return content


def _too_large(name: str) -> str:
    sentence = translate(
        "Pictures", "{file} is too large: at most {megabytes} MB and {millions} million pixels are read."
    )
    return sentence.format(file=name, megabytes=MOST_BYTES >> 20, millions=MOST_PIXELS // 1_000_000)
