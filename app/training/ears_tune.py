"""Teach Whisper's decoder to read short clips: `python -m app.training ears-tune`.

Whisper was trained on windows of 30 s; on the bare clip its decoder repeats itself instead of ending. A short run on
synthesised questions and answers, roughened as rooms and microphones would, cures that. Encoder and embedding stay.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import soundfile as sf
import soxr
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn

from app.speech.features import SAMPLE_RATE
from app.speech.starter_encoder import StarterEncoder, blocks
from app.speech.weights import save_weights
from app.training.loop import autocast

Floats = NDArray[np.float32]


def roughen(clip: Floats, rng: np.random.Generator) -> Floats:
    """Gain, noise (white to brown, 5 to 40 dB), a small room, band limit and speed, each now and then."""
    if rng.random() < 0.3:
        clip = soxr.resample(clip, SAMPLE_RATE, int(SAMPLE_RATE * rng.uniform(0.88, 1.14)))
    if rng.random() < 0.3:
        decay = rng.uniform(0.05, 0.3)
        length = int(SAMPLE_RATE * decay)
        echo = rng.standard_normal(length) * np.exp(-6.9 * np.arange(length) / length) * rng.uniform(0.05, 0.3)
        echo[0] = 1.0
        clip = np.convolve(clip, echo)[: len(clip) + length // 2].astype(np.float32)
    if rng.random() < 0.2:
        low = int(rng.choice([6_000, 8_000, 11_025]))
        clip = soxr.resample(soxr.resample(clip, SAMPLE_RATE, low), low, SAMPLE_RATE)
    if rng.random() < 0.5:
        noise = rng.standard_normal(len(clip))
        if rng.random() < 0.5:
            noise = np.convolve(noise, np.ones(8) / 8, "same")
        level = np.sqrt(np.mean(clip**2)) * 10 ** (-rng.uniform(5, 40) / 20)
        clip = clip + noise * level / (noise.std() + 1e-9)
    # Silence around the words, as an endpointer leaves it.
    lead, tail = (np.zeros(int(rng.uniform(0, s) * SAMPLE_RATE)) for s in (0.5, 1.2))
    clip = np.concatenate((lead, clip, tail))
    return np.asarray(clip * rng.uniform(0.2, 1.3), np.float32)


def written(text: str) -> str:
    """The words as the decoder should write them."""
    text = text[:1].upper() + text[1:]
    return " " + (text if text[-1:] in ".?!" else text + ".")


def decoder_logits(encoder: StarterEncoder, states: Tensor, mask: Tensor, tokens: Tensor) -> Tensor:
    """Teacher-forced logits [B, N, rows] of tokens [B, N] over encoder states [B, T, 384] with key mask [B, T]."""
    x = encoder.embed(tokens) + encoder.text_positions[: tokens.shape[1]]
    for block in blocks(encoder.decoder):
        normed = block.norm(x)
        key, value = block.attention.memory(normed)
        query = block.attention.split_heads(block.attention.query(normed))
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + block.attention.out(mixed.transpose(-3, -2).flatten(-2))
        query = block.cross.split_heads(block.cross.query(block.cross_norm(x)))
        key, value = block.cross.memory(states)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None])
        x = x + block.cross.out(mixed.transpose(-3, -2).flatten(-2))
        x = block.mlp(x)
    return encoder.decoder_norm(x) @ encoder.embed.weight.T


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training ears-tune`."""
    parser = argparse.ArgumentParser(prog="app.training ears-tune", description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="model folder; its encoder is replaced at the end")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=12)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args(argv)
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    encoder = StarterEncoder.load(args.model)
    tokenizer = Tokenizer.from_file(str(args.work / "whisper" / "tokenizer.json"))
    rows = {tokenizer.token_to_id(piece): row for row, piece in enumerate(encoder.pieces)}
    clips: list[tuple[Path, list[int]]] = []
    for path in sorted((args.work / "questions").glob("*.json")) + sorted((args.work / "answers").glob("*.json"))[:900]:
        ids = tokenizer.encode(written(json.loads(path.read_text())["text"]), add_special_tokens=False).ids
        if all(i in rows for i in ids):
            clips.append((path.with_suffix(".flac"), [rows[i] for i in ids]))
    tuned = [p for part in (encoder.decoder, encoder.decoder_norm) for p in part.parameters()]
    for parameter in tuned:
        parameter.requires_grad_(True)
    optimiser = torch.optim.AdamW(tuned, args.rate, weight_decay=0.0)
    rng = np.random.default_rng(0)
    losses: list[float] = []
    began = time.monotonic()
    for step in range(args.steps):
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, (step + 1) / 30) * 0.5 * (1 + math.cos(math.pi * step / args.steps))
        batch_states, batch_tokens = [], []
        for index in rng.integers(0, len(clips), args.batch):
            path, tokens = clips[index]
            audio, rate = sf.read(path, dtype="float32")
            clip = roughen(soxr.resample(audio, rate, SAMPLE_RATE), rng)
            if rng.random() < 0.03:
                # Noise alone: nothing to read.
                clip, tokens = np.float32(rng.uniform(0.001, 0.05)) * rng.standard_normal(len(clip)).astype("f4"), []
            with torch.no_grad():
                batch_states.append(encoder.hear(torch.from_numpy(clip)))
            batch_tokens.append([encoder.start, encoder.plain, *tokens, encoder.end])
        states = nn.utils.rnn.pad_sequence(batch_states, batch_first=True)
        lengths = torch.tensor([len(s) for s in batch_states])
        mask = torch.arange(states.shape[1]) < lengths[:, None]
        tokens = nn.utils.rnn.pad_sequence(
            [torch.tensor(t) for t in batch_tokens], batch_first=True, padding_value=-100
        )
        targets = tokens[:, 1:].clone()
        targets[:, 0] = -100
        with autocast():
            logits = decoder_logits(encoder, states, mask, tokens[:, :-1].clamp(min=0))
        loss = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=-100)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(tuned, 1.0)
        optimiser.step()
        losses.append(loss.item())
        if (step + 1) % 25 == 0:
            rate_s = (time.monotonic() - began) / (step + 1)
            print(f"step {step + 1} loss {np.mean(losses[-25:]):.4f} {rate_s:.2f} s/step", flush=True)
    save_weights(encoder.state_dict(), args.model / "encoder.safetensors", "int8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
