"""Pictures from files: what the model is given, and what is refused."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from app import pictures
from app.pictures import PictureError, read_picture, squeezed

Pixels = NDArray[np.uint8]


def encoded(pixels: Pixels, codec: str, layout: str) -> bytes:
    """uint8 [H, W, 3 or 4] as a file of FFmpeg's `codec`."""
    out = io.BytesIO()
    with av.open(out, "w", format="image2pipe") as container:
        stream: Any = container.add_stream(codec, rate=1)
        stream.height, stream.width = pixels.shape[:2]
        stream.pix_fmt = layout
        source = "rgb24" if pixels.shape[2] == 3 else "rgba"
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format=source).reformat(format=layout)
        for packet in [*stream.encode(frame), *stream.encode()]:
            container.mux(packet)
    return out.getvalue()


def quarters() -> Pixels:
    """Red above green at the left, blue above white at the right, twice as wide as high."""
    pixels = np.full((64, 128, 3), 255, np.uint8)
    pixels[:32, :64], pixels[32:, :64], pixels[:32, 64:] = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    return pixels


def corners(image: bytes) -> list[tuple[int, ...]]:
    """The pixels near the corners: upper left, upper right, lower left, lower right."""
    pixels = np.frombuffer(image, np.uint8).reshape(256, 256, 3)
    return [tuple(int(v) for v in pixels[y, x]) for y in (20, 235) for x in (20, 235)]


RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


@pytest.mark.parametrize(
    ("codec", "layout", "off"),
    [("png", "rgb24", 0), ("bmp", "bgr24", 0), ("mjpeg", "yuvj444p", 6), ("tiff", "rgb24", 0)],
)
def test_formats(tmp_path: Path, codec: str, layout: str, off: int) -> None:
    # The name says nothing.
    file = tmp_path / "picture"
    file.write_bytes(encoded(quarters(), codec, layout))
    for got, wanted in zip(corners(read_picture(file)), (RED, BLUE, GREEN, WHITE), strict=True):
        assert np.abs(np.subtract(got, wanted)).max() <= off


def test_a_photograph_is_turned_as_the_camera_was_held(tmp_path: Path) -> None:
    jpeg = encoded(quarters(), "mjpeg", "yuvj444p")
    # Orientation 6: the camera was turned to the left, so the picture is to be turned to the right.
    tags = b"Exif\0\0II*\0\x08\0\0\0\x01\0" + struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0) + b"\0\0\0\0"
    (tmp_path / "a.jpg").write_bytes(jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(tags) + 2) + tags + jpeg[2:])
    for got, wanted in zip(corners(read_picture(tmp_path / "a.jpg")), (GREEN, RED, WHITE, BLUE), strict=True):
        assert np.abs(np.subtract(got, wanted)).max() <= 6


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[:, :4, 3] = 255
    (tmp_path / "a.png").write_bytes(encoded(pixels, "png", "rgba"))
    assert corners(read_picture(tmp_path / "a.png"))[:2] == [(0, 0, 0), WHITE]


@pytest.mark.parametrize("shape", [(480, 640), (100, 300), (256, 256), (1, 1), (37, 1000)])
def test_each_new_pixel_is_the_weighted_mean_around_it(shape: tuple[int, int]) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (*shape, 3)).astype(np.uint8)
    got = np.frombuffer(squeezed(pixels), np.uint8).reshape(256, 256, 3).astype(int)
    for row, column in ((0, 0), (3, 255), (128, 77), (255, 200)):
        total, weight = np.zeros(3), 0.0
        for y in range(shape[0]):
            up = 1 - abs((y + 0.5) - (row + 0.5) * shape[0] / 256) / max(shape[0] / 256, 1)
            if up <= 0:
                continue
            for x in range(shape[1]):
                across = 1 - abs((x + 0.5) - (column + 0.5) * shape[1] / 256) / max(shape[1] / 256, 1)
                if across > 0:
                    total += up * across * pixels[y, x]
                    weight += up * across
        assert np.abs(got[row, column] - total / weight).max() <= 1.01
    if shape == (256, 256):
        assert squeezed(pixels) == pixels.tobytes()


def png(width: int, height: int) -> bytes:
    """A small file of a black picture that may be huge."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = zlib.compressobj(9)
    line = bytes(1 + (width + 7) // 8)
    content = b"".join(rows.compress(line * min(1_000, height - at)) for at in range(0, height, 1_000)) + rows.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", content) + chunk(b"IEND", b"")


def test_a_small_file_of_a_huge_picture_is_not_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(png(60_000, 60_000))
    assert bomb.stat().st_size < 2_000_000
    with pytest.raises(PictureError, match="100 million pixels"):
        read_picture(bomb)
    (tmp_path / "large.png").write_bytes(png(9_000, 9_000))
    assert len(read_picture(tmp_path / "large.png")) == 3 * 256 * 256


def test_bad_files_get_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = encoded(quarters(), "png", "rgb24")
    cases = {
        "empty.png": (b"", "not a picture"),
        "page.jpg": (b"<html><body>404</body></html>", "not a picture"),
        "list.png": (b"#EXTM3U\nhttp://localhost/a.png", "not a picture"),
        "half.png": (good[: len(good) // 2], "damaged"),
        "head.jpg": (b"\xff\xd8\xff\xe0 nothing", "damaged"),
    }
    for name, (content, words) in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(PictureError, match=words) as raised:
            read_picture(tmp_path / name)
        assert str(raised.value).endswith(".") and "\n" not in str(raised.value)
    with pytest.raises(PictureError, match="There is no picture"):
        read_picture(tmp_path / "none.png")
    with pytest.raises(PictureError, match="cannot be read"):
        read_picture(tmp_path)
    monkeypatch.setattr(pictures, "MOST_BYTES", 50)
    (tmp_path / "much.png").write_bytes(good)
    with pytest.raises(PictureError, match="too large"):
        read_picture(tmp_path / "much.png")
