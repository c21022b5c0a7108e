"""The model's configuration: what `config.json` says and what follows from it. No torch here."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

CODEBOOKS = 8
"""Code streams spoken at once; fixed by the architecture."""


class ConfigError(Exception):
    """`config.json` cannot be used; the message says why."""


def _default_intermediate(hidden_size: int) -> int:
    return math.ceil(hidden_size * math.pi / 64) * 64


@dataclass(frozen=True)
class BlockConfig:
    """Sizes of one transformer block (Thinker or Talker)."""

    hidden_size: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate_size: int
    eps: float
    use_moe: bool
    num_experts: int
    num_experts_per_tok: int
    moe_intermediate_size: int
    norm_topk_prob: bool
    dropout: float

    @property
    def group(self) -> int:
        """Query heads per key/value head."""
        return self.num_heads // self.num_kv_heads


@dataclass(frozen=True)
class RopeConfig:
    """Rotary positions: base, table length and the optional YaRN stretch."""

    theta: float
    length: int
    yarn: bool
    yarn_factor: float = 16.0
    yarn_original_length: int = 2048
    yarn_beta_fast: float = 32.0
    yarn_beta_slow: float = 1.0


@dataclass(frozen=True)
class OmniConfig:
    """Everything `config.json` may hold; a missing field takes the MiniMind-O default.

    `head_dim`, `intermediate_size`, `moe_intermediate_size` and `bridge_layer` are derived when None (see the
    `resolved_*` properties). Empty `image_ids` or `audio_ids` mean the model has no such input and no
    projector for it. `audio_adapter_size` is the rank of the per-codebook adapters. `banter` is this
    program's own section (name, encoder, codec, generation overrides, languages).
    """

    hidden_size: int = 768
    num_hidden_layers: int = 8
    use_moe: bool = False
    dropout: float = 0.0
    vocab_size: int = 6400
    bos_token_id: int = 1
    eos_token_id: int = 2
    pad_token_id: int = 0
    num_attention_heads: int = 8
    num_key_value_heads: int = 4
    head_dim: int | None = None
    hidden_act: str = "silu"
    intermediate_size: int | None = None
    max_position_embeddings: int = 32768
    rms_norm_eps: float = 1e-6
    rope_theta: float = 1e6
    tie_word_embeddings: bool = True
    inference_rope_scaling: bool = False
    num_experts: int = 4
    num_experts_per_tok: int = 1
    moe_intermediate_size: int | None = None
    norm_topk_prob: bool = True
    router_aux_loss_coef: float = 5e-4
    num_talker_hidden_layers: int = 4
    talker_hidden_size: int = 768
    audio_adapter_size: int = 256
    audio_ids: tuple[int, ...] = (16,)
    audio_special_token: str = "<|audio_pad|>"
    audio_hidden_size: int = 512
    audio_vocab_size: int = 2112
    audio_pad_token: int = 2049
    audio_stop_token: int = 2050
    audio_spk_token: int = 2051
    spk_emb_size: int = 192
    think_end_ids: tuple[int, ...] = (26, 234, 234)
    image_ids: tuple[int, ...] = (12,)
    image_special_token: str = "<|image_pad|>"
    image_hidden_size: int = 768
    image_token_len: int = 64
    bridge_layer: int | None = None
    banter: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.hidden_act != "silu":
            raise ConfigError(f"config.json asks for the activation '{self.hidden_act}', only 'silu' is supported.")
        if not self.tie_word_embeddings:
            raise ConfigError("config.json sets tie_word_embeddings to false; only tied embeddings are supported.")
        if self.num_attention_heads % self.num_key_value_heads:
            raise ConfigError("config.json: num_attention_heads must be a multiple of num_key_value_heads.")
        if not 0 <= self.resolved_bridge_layer < self.num_hidden_layers:
            raise ConfigError(f"config.json: bridge_layer {self.resolved_bridge_layer} is not a layer of the model.")
        if not 0 < self.code_count < self.audio_pad_token < self.audio_vocab_size:
            raise ConfigError("config.json: audio_pad_token must lie above the codes and inside audio_vocab_size.")

    @property
    def code_count(self) -> int:
        """Real codes per codebook: ids `0 … code_count-1`; the id behind them is unused, then pad, stop."""
        return self.audio_pad_token - 1

    @property
    def resolved_bridge_layer(self) -> int:
        """Zero-based Thinker block whose output feeds the Talker."""
        return self.num_hidden_layers // 2 - 1 if self.bridge_layer is None else self.bridge_layer

    @property
    def thinker_block(self) -> BlockConfig:
        """Sizes of the Thinker's blocks."""
        inner = self.intermediate_size or _default_intermediate(self.hidden_size)
        return BlockConfig(
            hidden_size=self.hidden_size,
            num_heads=self.num_attention_heads,
            num_kv_heads=self.num_key_value_heads,
            head_dim=self.head_dim or self.hidden_size // self.num_attention_heads,
            intermediate_size=inner,
            eps=self.rms_norm_eps,
            use_moe=self.use_moe,
            num_experts=self.num_experts,
            num_experts_per_tok=self.num_experts_per_tok,
            moe_intermediate_size=self.moe_intermediate_size or inner,
            norm_topk_prob=self.norm_topk_prob,
            dropout=self.dropout,
        )

    @property
    def talker_block(self) -> BlockConfig:
        """Sizes of the Talker's blocks: defaults for `talker_hidden_size`, whatever the Thinker has."""
        return OmniConfig(hidden_size=self.talker_hidden_size, use_moe=self.use_moe).thinker_block

    @property
    def rope(self) -> RopeConfig:
        """Rotary settings shared by Thinker and Talker (each with its own head size)."""
        return RopeConfig(self.rope_theta, self.max_position_embeddings, self.inference_rope_scaling)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> OmniConfig:
        """Build from the content of a `config.json`; fields this program does not know are ignored."""
        known = {f.name: f for f in fields(cls)}
        kept: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known or value is None:
                continue
            default = getattr(cls, name, None)
            kept[name] = tuple(value) if isinstance(default, tuple) else value
        try:
            return cls(**kept)
        except TypeError as error:
            raise ConfigError(f"config.json has a field of the wrong type: {error}.") from error

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain JSON values, plus the type tags of the public checkpoints."""
        values = {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items() if v is not None}
        return {"model_type": "minimind-o", "architectures": ["MiniMindOmni"], **values}

    @classmethod
    def load(cls, folder: str | Path) -> OmniConfig:
        """Read `config.json` of a model folder."""
        path = Path(folder) / "config.json"
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ConfigError(f"{path} is missing: this is not a model folder.") from None
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path} cannot be read: {error}.") from error
        if not isinstance(values, dict):
            raise ConfigError(f"{path} does not hold a JSON object.")
        return cls.from_dict(values)

    def save(self, folder: str | Path) -> None:
        """Write `config.json` into a model folder."""
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
