"""A complete, very small model: network with random weights, byte-level tokenizer, tone codec, level encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from app.omni.checkpoint import save_weights
from app.omni.config import OmniConfig
from app.omni.model import OmniModel
from app.omni.turn import FRAME_SAMPLES
from app.omni.voice import Voice, save_voices
from app.speech.interfaces import Encoded, StreamingDecoder
from app.vision.siglip2 import TowerShape

CODES = 64
SPEAKER = 8
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|audio_pad|>"]
PLAIN = ["<think>", "</think>", "<tool_call>", "</tool_call>"]


def tiny_tokenizer(*more: str) -> Tokenizer:
    """Byte-level BPE over the bytes alone, with the control tokens in front, and `more` of them behind."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=[*SPECIAL, *PLAIN],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the sky is blue because light is scattered"], trainer)
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in PLAIN])
    tokenizer.add_special_tokens(list(more))
    return tokenizer


def tiny_config(**changes: object) -> OmniConfig:
    """Widths of 32, 64 codes."""
    tokenizer = tiny_tokenizer()
    newline = tokenizer.encode("\n").ids[0]
    values: dict[str, object] = {
        "hidden_size": 32,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "num_talker_hidden_layers": 2,
        "talker_hidden_size": 64,
        "audio_adapter_size": 8,
        "vocab_size": tokenizer.get_vocab_size(),
        "max_position_embeddings": 320,
        "audio_ids": [tokenizer.token_to_id("<|audio_pad|>")],
        "audio_hidden_size": 6,
        "audio_vocab_size": CODES + 8,
        "audio_pad_token": CODES + 1,
        "audio_stop_token": CODES + 2,
        "audio_spk_token": CODES + 3,
        "spk_emb_size": SPEAKER,
        "image_ids": [],
        "think_end_ids": [tokenizer.token_to_id("</think>"), newline, newline],
        "banter": {
            "name": "Tiny",
            "encoder": "level",
            "codec": "tone",
            "languages": ["en", "de"],
            "generation": {"max_new_tokens": 60, "talker": {"silence_ban_frames": 0, "temperature": 4.0}},
        },
    }
    return OmniConfig.from_dict(values | changes)


def tiny_model(seed: int = 0, **changes: object) -> OmniModel:
    """Random weights, spread out enough for different inputs to give different outputs."""
    torch.manual_seed(seed)
    model = OmniModel(tiny_config(**changes))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                parameter.normal_(std=0.3 if "talker" in name or "embed" in name else 0.2)
    return model.eval()


def tiny_folder(folder: Path, seed: int = 0, sees: TowerShape | None = None) -> Path:
    """Write a whole model folder; `sees`: of a model that has learnt to see with such a tower."""
    changes: dict[str, object] = {}
    tokenizer = tiny_tokenizer()
    if sees is not None:
        tokenizer = tiny_tokenizer("<|image_pad|>")
        changes = {
            "vocab_size": tokenizer.get_vocab_size(),
            "image_ids": [tokenizer.token_to_id("<|image_pad|>")],
            "image_hidden_size": sees.width,
            "image_token_len": sees.tokens,
        }
    model = tiny_model(seed, **changes)
    model.config.save(folder)
    save_weights(model.state_dict(), folder / "model.safetensors")
    tokenizer.save(str(folder / "tokenizer.json"))
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, CODES, (8, 6), generator=generator)
    voices = [Voice(name, torch.randn(SPEAKER, generator=generator)) for name in ("Zoe", "Adam")]
    save_voices(folder / "voices.safetensors", [*voices, Voice("Both", torch.ones(SPEAKER), codes)])
    return folder


class ToneCodec:
    """Codebook 0 is loudness in 64 steps, the others are pitch digits; every frame is a tone."""

    codebooks = 8
    codebook_size = CODES

    def encode(self, audio: NDArray[np.float32]) -> Tensor:
        frames = -(-len(audio) // FRAME_SAMPLES)
        padded = np.pad(audio, (0, frames * FRAME_SAMPLES - len(audio))).reshape(frames, FRAME_SAMPLES)
        level = np.clip(np.sqrt((padded**2).mean(axis=1)) * CODES * 2, 0, CODES - 1).astype(np.int64)
        codes = torch.zeros(8, frames, dtype=torch.int64)
        codes[0] = torch.from_numpy(level)
        return codes

    def decode(self, codes: Tensor, speaker: Tensor | None = None) -> NDArray[np.float32]:
        stream = self.stream(speaker)
        return np.concatenate([stream.step(column) for column in codes.T])

    def stream(self, speaker: Tensor | None = None) -> StreamingDecoder:
        return _ToneStream()


class _ToneStream:
    def step(self, codes: Tensor) -> NDArray[np.float32]:
        loudness, *pitch = codes.tolist()
        time = np.arange(FRAME_SAMPLES) / 24_000
        return (loudness / CODES * np.sin(2 * np.pi * (200 + sum(pitch)) * time)).astype(np.float32)


class LevelEncoder:
    """Six statistics of every 60 ms; at least one row. The transcript is how many rows there were."""

    feature_size = 6

    def encode(self, audio: NDArray[np.float32]) -> Encoded:
        rows = max(len(audio) // 960, 1)
        padded = np.pad(audio, (0, max(rows * 960 - len(audio), 0)))[: rows * 960].reshape(rows, 960)
        stats = [f(padded, axis=1) for f in (np.mean, np.std, np.min, np.max, np.ptp, np.median)]
        return Encoded(torch.from_numpy(np.stack(stats, axis=1).astype(np.float32)), f"{rows} rows")
