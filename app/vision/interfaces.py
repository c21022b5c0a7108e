"""What the engine needs of whatever sees for the model."""

from __future__ import annotations

from typing import Protocol

import torch


class ImageEncoder(Protocol):
    """Pictures: pixels in, features for the Thinker's `vision_proj` out."""

    @property
    def tokens(self) -> int:
        """Rows of features for a picture."""
        ...

    @property
    def width(self) -> int:
        """Values in each of them."""
        ...

    def encode(self, image: bytes) -> torch.Tensor:
        """Features float32 [tokens, width] of uint8 RGB bytes, see `app.pictures.squeezed`."""
        ...
