"""The starter's text tokenizer: `python -m app.training tokenizer`.

Byte-level BPE over the corpus, MiniMind-O's control tokens first. Digits stand alone, so that numbers can be copied,
and what the calls of a tool have in common is one piece.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from app.training.corpus import load_intents
from app.training.tool_corpus import load_tools, structures

VOCABULARY = 6_400
#: Ids 0 … 35 as in MiniMind-O; the first 21 are special, the rest survive in text.
CONTROL_TOKENS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
    "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>",
    "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>", "<|audio_start|>", "<|audio_end|>", "<|audio_pad|>",
    "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>", "<tts_text_bos_single>", "<tool_call>", "</tool_call>",
    "<tool_response>", "</tool_response>", "<think>", "</think>",
    *(f"<|buffer{n}|>" for n in range(1, 10)),
)  # fmt: skip
SPECIAL_COUNT = 21


#: Instances of every tool intent in the training text.
_TOOL_DRAWS = 120


def _training_text() -> list[str]:
    """Every question and answer of the corpus, and tool questions with their values."""
    texts = []
    for intent in load_intents():
        texts += [form for q in intent.train_questions for form in (q, q.lower(), f" {q}")]
        texts += list(intent.answers) * 4
    rng = np.random.default_rng(0)
    for tool in load_tools():
        for _ in range(_TOOL_DRAWS):
            draw = tool.draw(rng)
            texts += [draw.question, *(part for part in draw.answer if tool.row["tool"] is None or part[:1] == " ")]
    # Whole words for the roles and for the line break that the template needs.
    return texts + ["user", "assistant", "system"] * 500


def _splitter() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )


def train_tokenizer(path: Path) -> Tokenizer:
    """Learn the pieces from the corpus and write `tokenizer.json`."""
    calls = structures(load_tools())
    shift = len(CONTROL_TOKENS)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = _splitter()
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - shift - len(calls),
        special_tokens=[],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_training_text(), trainer)
    # The trained ids start at 0: shift them behind the control tokens by rebuilding the model.
    ids = {token: index for index, token in enumerate(CONTROL_TOKENS)}
    ids.update({token: index + shift for token, index in tokenizer.get_vocab().items()})
    merges = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    built = Tokenizer(models.BPE(vocab=ids, merges=merges))
    built.pre_tokenizer = _splitter()
    built.decoder = decoders.ByteLevel()
    built.add_special_tokens([AddedToken(t, special=True) for t in CONTROL_TOKENS[:SPECIAL_COUNT]])
    plain = (*CONTROL_TOKENS[SPECIAL_COUNT:], *calls)
    built.add_tokens([AddedToken(t, special=False, normalized=False) for t in plain])
    path.parent.mkdir(parents=True, exist_ok=True)
    built.save(str(path))
    return built


def minilm_embeddings(tokenizer: Tokenizer, minilm: Path, scale: float = 0.03) -> Tensor:
    """Start values [vocab, 384] for the Thinker's embedding: the mean of MiniLM's WordPiece vectors of each piece.

    `minilm` is a folder with `model.safetensors` and `tokenizer.json`. Rescaled to standard deviation `scale`;
    control tokens are random.
    """
    weights = load_file(minilm / "model.safetensors")
    table = next(v for k, v in weights.items() if k.endswith("word_embeddings.weight")).float()
    wordpiece = Tokenizer.from_file(str(minilm / "tokenizer.json"))
    wordpiece.no_padding()
    calls = set(structures(load_tools()))
    table = table - table.mean(0)
    out = torch.randn(tokenizer.get_vocab_size(), table.shape[1])
    for index in range(len(CONTROL_TOKENS), len(out)):
        text = tokenizer.decode([index]).strip()
        if text in calls:
            # Of a call the names alone mean something.
            text = re.sub("name|arguments|[^a-z]+", " ", text).strip()
        ids = wordpiece.encode(text, add_special_tokens=False).ids if text else []
        if ids:
            row = table[ids].mean(0)
            out[index] = row / row.std()
    return out * scale


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training tokenizer`."""
    parser = argparse.ArgumentParser(prog="app.training tokenizer", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="model folder to write into")
    args = parser.parse_args(argv)
    tokenizer = train_tokenizer(args.model / "tokenizer.json")
    print(f"{tokenizer.get_vocab_size()} pieces")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
