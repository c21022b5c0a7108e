"""The lexicon of `app.speech.pronunciation` from Misaki's (Apache-2.0): `python -m app.training lexicon`.

Its proven part ("gold") goes into the model folder, and of the larger one ("silver") the common words; what both lack
of those, espeak-ng pronounces. Both parts are what the model of spellings learns from.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path

from app.speech.pronunciation import LEXICON, SIGNS, Entry, Pronouncer, write_lexicon
from app.training.kokoro import phonemes
from app.training.pieces import vocabulary

_WORD = re.compile(r"[A-Za-z](?:[A-Za-z']*[A-Za-z])?")
_COMMON = re.compile(r"[a-z]{3,}")
_PARTS = ("NOUN", "VERB")


def load_misaki(folder: Path, name: str) -> dict[str, Entry]:
    """Single words of `us_<name>.json`, in lower case; a common word beats a name, capitals alone are left out."""
    rows: dict[str, str | dict[str, str | None]] = json.loads((folder / f"us_{name}.json").read_text("utf-8"))
    found: dict[str, Entry] = {}
    for word in sorted(rows, key=lambda word: word != word.lower()):
        if not _WORD.fullmatch(word) or (word.isupper() and len(word) > 1) or word.lower() in found:
            continue
        row = rows[word]
        said = {"": row} if isinstance(row, str) else {"": row["DEFAULT"], **{part: row.get(part) for part in _PARTS}}
        entry = {part: one for part, one in said.items() if one and (not part or one != said[""])}
        if "" in entry and all(set(one) <= set(SIGNS) for one in entry.values()):
            found[word.lower()] = entry
    return found


def load_whole(folder: Path) -> dict[str, Entry]:
    """Both parts; of what both have, the proven one's."""
    return load_misaki(folder, "silver") | load_misaki(folder, "gold")


def without_regular(entries: dict[str, Entry]) -> dict[str, Entry]:
    """The entries that the rules of `Pronouncer` do not make from the others."""
    kept = dict(entries)
    for word in sorted(entries, key=len, reverse=True):
        entry = kept.pop(word)
        if Pronouncer(kept).known(word) != entry:
            kept[word] = entry
    # A word that another one came of may have gone as well.
    while lost := {
        word: entries[word] for word in entries.keys() - kept if Pronouncer(kept).known(word) != entries[word]
    }:
        kept |= lost
    return kept


def for_words(common: Iterable[str], entries: dict[str, Entry]) -> dict[str, Entry]:
    """What espeak-ng says of common words that neither the entries nor the rules know: first names above all."""
    unknown = [word for word in common if Pronouncer(entries).known(word) is None]
    said = {word: "".join(sign for sign in phonemes(word) if sign in SIGNS.strip()) for word in unknown}
    return {word: {"": one} for word, one in said.items() if any(sign in "ˈˌ" for sign in one)}


def main(argv: list[str] | None = None) -> int:
    """`python -m app.training lexicon`: writes `lexicon.xz` into the model folder."""
    parser = argparse.ArgumentParser(prog="app.training lexicon", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder made by `fetch`")
    parser.add_argument("--model", type=Path, required=True, help="model folder with the sentence encoder")
    args = parser.parse_args(argv)
    common = [word for word in vocabulary(args.model) if _COMMON.fullmatch(word)]
    silver = load_misaki(args.work / "misaki", "silver")
    entries = {word: silver[word] for word in common if word in silver} | load_misaki(args.work / "misaki", "gold")
    entries = without_regular(entries | for_words(common, entries))
    write_lexicon(args.model / LEXICON, entries)
    print(f"{len(entries)} words")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
