"""`python -m app.training VERB …`: every stage of the starter, one command each."""

from __future__ import annotations

import importlib
import sys

VERBS = {
    "fetch": "fetch",
    "synthesize": "synthesize",
    "codec": "codec",
    "tokenizer": "tokenizer",
    "sentences": "sentences",
    "ears": "ears",
    "ears-tune": "ears_tune",
    "choose": "choose",
    "crossed": "crossed",
    "said": "said",
    "decoder": "decoder",
    "voices": "voices",
    "pack": "pack",
    "pieces": "pieces",
    "calls": "calls",
    "known": "known",
    "thinker": "thinker",
    "talker": "talker",
    "lexicon": "lexicon",
    "spelling": "spelling",
    "readings": "readings",
    "recorded": "recorded",
    "reader": "reader",
    "grow": "grow",
    "export": "export",
    "completeness": "completeness",
    "evaluate": "evaluate",
}


def main() -> int:
    """Run the stage named by the first argument."""
    if len(sys.argv) < 2 or sys.argv[1] not in VERBS:
        print(f"usage: python -m app.training {{{','.join(VERBS)}}} …", file=sys.stderr)
        return 2
    module = importlib.import_module(f"app.training.{VERBS[sys.argv[1]]}")
    return int(module.main(sys.argv[2:]))


if __name__ == "__main__":
    raise SystemExit(main())
