"""A sentence encoder of a few words, its weights drawn at random."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from app.speech.sentence_encoder import SentenceEncoder

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "what", "time", "is", "it", "now")


def tokenizer() -> Tokenizer:
    """WordPiece over `WORDS`."""
    made = Tokenizer(models.WordPiece({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def random_encoder() -> SentenceEncoder:
    """The encoder, ready to be asked."""
    torch.manual_seed(0)
    made = SentenceEncoder(tokenizer())
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return made.eval().requires_grad_(False)
