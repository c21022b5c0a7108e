"""Pictures as the model sees them: 256 × 256 pixels, RGB, the sides squeezed alike. Files are read with FFmpeg.

No Qt, no torch. The window reads pictures itself and hands their pixels to `squeezed`.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.omni.turn import IMAGE_SIDE

if TYPE_CHECKING:
    from av import VideoFrame

Pixels = NDArray[np.uint8]

MOST_BYTES = 64 << 20
"""No larger file is opened."""
MOST_PIXELS = 100_000_000
"""No picture with more is decoded: a small file can unpack to gigabytes."""
WORK_SIDE = 2_048
"""Pictures are reduced to this before anything else is done with them."""
DESCRIBE = {"en": "Please describe this image.", "zh": "请描述这张图片。"}
"""The question about a picture that came without one, by language; the model was trained with these words."""
# How a file begins, and who reads it. FFmpeg is not left to guess: it knows formats that open other files and sites.
_FORMATS = (
    (b"\xff\xd8\xff", "jpeg_pipe"),
    (b"\x89PNG\r\n\x1a\n", "png_pipe"),
    (b"GIF8", "gif_pipe"),
    (b"BM", "bmp_pipe"),
    (b"II*\0", "tiff_pipe"),
    (b"MM\0*", "tiff_pipe"),
)
_WHITE = 255


class PictureError(Exception):
    """A picture that cannot be used; the text is one sentence for the user."""


def describe(language: str) -> str:
    """The question about a picture that came without one, in `language` ("zh_CN"), or in English."""
    return DESCRIBE.get(language[:2].lower(), DESCRIBE["en"])


def read_picture(path: Path | str) -> bytes:
    """The picture in a file as the model sees it, see `squeezed`; of an animation the first frame.

    Raises PictureError for a file that is missing, too large, damaged, or no picture.
    """
    path = Path(path)
    return squeezed(_decoded(path, _content(path)))


def squeezed(pixels: Pixels) -> bytes:
    """uint8 [H, W, 3] (RGB) as uint8 RGB bytes of IMAGE_SIDE rows of IMAGE_SIDE pixels; sides that differ are not kept.

    Each new pixel is the mean of the old ones around it, weighted by a triangle as wide as two of the new ones, which
    is how the model's pictures were made in its training. Raises PictureError for a picture without pixels.
    """
    height, width = pixels.shape[:2]
    if not height or not width:
        raise PictureError("The picture has no pixels; choose another one.")
    # Across first and rounded in between, as imaging programs do it.
    across = np.einsum("hwc,nw->hnc", pixels.astype(np.float32), _triangles(width), optimize=True)
    down = np.einsum("hnc,mh->mnc", _rounded(across).astype(np.float32), _triangles(height), optimize=True)
    return _rounded(down).tobytes()


def _triangles(size: int) -> NDArray[np.float32]:
    """Weights [IMAGE_SIDE, size] of the old pixels for each new one."""
    scale = size / IMAGE_SIDE
    reach = max(scale, 1.0)
    centres = (np.arange(IMAGE_SIDE) + 0.5) * scale
    distance = np.abs(np.arange(size) + 0.5 - centres[:, None]) / reach
    weights = np.maximum(1.0 - distance, 0.0)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def _rounded(values: NDArray[np.float32]) -> Pixels:
    return np.clip(np.floor(values + 0.5), 0, 255).astype(np.uint8)


def _content(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size <= MOST_BYTES:
            return path.read_bytes()
    except FileNotFoundError:
        raise PictureError(f"There is no picture {path}; check the name.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PictureError(f"The picture {path} cannot be read ({reason}).") from error
    raise PictureError(
        f"{path} is too large for a picture ({size >> 20} MB, at most {MOST_BYTES >> 20} MB); save a smaller copy."
    )


def _kind(content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp_pipe"
    return next((name for start, name in _FORMATS if content.startswith(start)), None)


def _decoded(path: Path, content: bytes) -> Pixels:
    """RGB pixels, upright, what is transparent on white."""
    kind = _kind(content)
    if kind is None:
        raise PictureError(f"{path} is not a picture that Banter can read; use PNG, JPEG, WebP, GIF, BMP or TIFF.")
    import av  # 50 MB of libraries that most questions do not need
    from av.error import FFmpegError

    bound = {"max_pixels": str(MOST_PIXELS)}
    try:
        # The bound holds while the format is looked at, and then for the picture itself.
        # PyAV's types know of no options for a stream, its code does.
        container: Any = av.open(io.BytesIO(content), format=kind, stream_options=[bound])  # type: ignore[list-item]
        with container:
            stream = container.streams.video[0]
            stream.codec_context.options = bound
            return _upright(next(container.decode(stream)))
    except (FFmpegError, StopIteration, IndexError, ValueError, MemoryError) as error:
        raise PictureError(
            f"{path} cannot be shown: it is damaged or has more than {MOST_PIXELS // 1_000_000} million pixels; "
            "choose another picture."
        ) from error


def _upright(frame: VideoFrame) -> Pixels:
    shrink = min(1.0, WORK_SIDE / max(frame.width, frame.height))
    size = max(1, round(frame.width * shrink)), max(1, round(frame.height * shrink))
    pixels = frame.reformat(*size, format="rgba", interpolation="AREA").to_ndarray()
    alpha = pixels[..., 3:].astype(np.uint16)
    flat = ((pixels[..., :3] * alpha + _WHITE * (255 - alpha) + 127) // 255).astype(np.uint8)
    # How the camera was held, in degrees against the clock.
    return np.rot90(flat, round(frame.rotation / 90))
