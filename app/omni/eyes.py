"""How the model sees: the vision tower of a model folder, and the picture that was looked at last."""

from __future__ import annotations

import logging
from pathlib import Path

from torch import Tensor

from app.omni.config import OmniConfig
from app.omni.errors import BlindModelError, DamagedModelError
from app.vision.interfaces import ImageEncoder
from app.vision.siglip2 import PART, VisionTower, find_tower

log = logging.getLogger(__name__)


class Eyes:
    """Features of pictures. Those of the last one are kept: a question may be asked twice before it is answered."""

    def __init__(self, encoder: ImageEncoder | None, model: str, trained: bool) -> None:
        """`trained`: the model `model` has learnt to see, whether there is an `encoder` or not."""
        self._encoder = encoder
        self._model = model
        self._trained = trained
        self._last: tuple[bytes, Tensor] | None = None

    def look(self, image: bytes) -> Tensor:
        """Features float32 [tokens, width] of uint8 RGB bytes. Raises BlindModelError."""
        if self._encoder is None:
            raise BlindModelError(
                f"The model {self._model} lacks its vision tower (the folder {PART}): download it again to ask about "
                "pictures."
                if self._trained
                else f"The model {self._model} cannot see pictures: ask without one, or choose a model that can see."
            )
        if self._last is None or self._last[0] != image:
            self._last = (image, self._encoder.encode(image))
        return self._last[1]


def load_eyes(folder: Path, config: OmniConfig) -> ImageEncoder | None:
    """The vision tower in a model folder; None where there is none, or the model has not learnt to see.

    Raises DamagedModelError for one that is damaged or does not fit the model.
    """
    path = find_tower(folder) if config.image_ids else None
    if path is None:
        if config.image_ids:
            log.warning("%s has no vision tower, so it cannot see pictures", folder)
        return None
    tower = VisionTower.load(path)
    if (tower.tokens, tower.width) != (config.image_token_len, config.image_hidden_size):
        raise DamagedModelError(
            f"{path} gives {tower.tokens} rows of {tower.width} values for a picture, config.json wants "
            f"{config.image_token_len} of {config.image_hidden_size}: they do not belong together."
        )
    return tower
