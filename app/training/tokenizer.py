"""The starter's text tokenizer: byte-level BPE over the corpus, MiniMind-O's control tokens first."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from app.training.corpus import load_intents, unknown_questions

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


def train_tokenizer(path: Path) -> Tokenizer:
    """Learn the pieces from every question and answer of the corpus and write `tokenizer.json`."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = []
    for intent in load_intents():
        texts += [form for q in intent.train_questions for form in (q, q.lower(), f" {q}")]
        texts += list(intent.answers) * 4
    texts += unknown_questions()
    # Whole words for the roles and for the line break that the template needs.
    texts += ["user", "assistant", "system"] * 500
    tokenizer.train_from_iterator(texts, trainer)
    # The trained ids start at 0: shift them behind the control tokens by rebuilding the model.
    vocabulary = tokenizer.get_vocab()
    shift = len(CONTROL_TOKENS)
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)[: VOCABULARY - shift]
    import json

    merges = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    kept = set(ordered)
    merges = [(a, b) for a, b in merges if a in kept and b in kept and a + b in kept]
    ids = {token: index for index, token in enumerate(CONTROL_TOKENS)}
    ids.update({token: index + shift for index, token in enumerate(ordered)})
    built = Tokenizer(models.BPE(vocab=ids, merges=merges))
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    built.add_special_tokens([AddedToken(t, special=True) for t in CONTROL_TOKENS[:SPECIAL_COUNT]])
    built.add_tokens([AddedToken(t, special=False, normalized=False) for t in CONTROL_TOKENS[SPECIAL_COUNT:]])
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
    table = table - table.mean(0)
    out = torch.randn(tokenizer.get_vocab_size(), table.shape[1])
    for index in range(len(CONTROL_TOKENS), len(out)):
        text = tokenizer.decode([index]).strip()
        ids = wordpiece.encode(text, add_special_tokens=False).ids if text else []
        if ids:
            row = table[ids].mean(0)
            out[index] = row / row.std()
    return out * scale
