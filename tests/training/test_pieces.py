"""The sentence encoder without the pieces that it never meets."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from app.speech.sentence_encoder import TOKENIZER, WEIGHTS, SentenceEncoder
from app.speech.weights import save_weights
from app.training.pieces import cut_pieces

PIECES = (
    "[PAD]",
    "[unused0]",
    "\u65e5",
    "[UNK]",
    "[CLS]",
    "[unused1]",
    "[SEP]",
    "tea",
    "\u043f",
    "##pot",
    "\u00a3",
    "two",
)


def test_what_is_left_reads_texts_as_before(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordPiece({piece: place for place, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    ends = [("[CLS]", PIECES.index("[CLS]")), ("[SEP]", PIECES.index("[SEP]"))]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokenizer.save(str(tmp_path / TOKENIZER))
    torch.manual_seed(0)
    save_weights(SentenceEncoder(tokenizer).state_dict(), tmp_path / WEIGHTS, "int8")
    texts = ["Two teapots", "tea \u00a3 two zebra", ""]
    before = SentenceEncoder.load(tmp_path)
    size = (tmp_path / WEIGHTS).stat().st_size
    assert cut_pieces(tmp_path) == 4
    after = SentenceEncoder.load(tmp_path)
    assert torch.equal(before.vectors(texts), after.vectors(texts))
    assert after.tokenizer.encode("teapot \u65e5").tokens == ["[CLS]", "tea", "##pot", "[UNK]", "[SEP]"]
    assert (tmp_path / WEIGHTS).stat().st_size < size
    assert cut_pieces(tmp_path) == 0
