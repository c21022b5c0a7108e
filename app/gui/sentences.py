"""Sentences from below the window, in the user's language.

The layers below know no Qt, so they tell what went wrong in English. Each of their sentences stands here once more,
with `{places}` for what changes in it. One that does not is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.gui.models.sentences import HUB

_TURNS = (
    QT_TRANSLATE_NOOP("Sentences", "The model does not answer: please ask again."),
    QT_TRANSLATE_NOOP("Sentences", "The model could not answer: please ask again."),
    QT_TRANSLATE_NOOP("Sentences", "The model is still being loaded: ask again when it is ready."),
    QT_TRANSLATE_NOOP("Sentences", "There is no microphone: plug one in, or type your question."),
    QT_TRANSLATE_NOOP("Sentences", "The microphone is muted: unmute it to talk."),
    QT_TRANSLATE_NOOP("Sentences", "I heard no speech: hold the button while you talk, and check the microphone."),
    QT_TRANSLATE_NOOP("Sentences", "That was a minute, so I answer what I have heard so far."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "I heard my own voice from the loudspeaker, so for a minute I do not listen while I speak: turn it down or "
        "use headphones.",
    ),
)
_SOUND = (
    QT_TRANSLATE_NOOP("Sentences", "microphone"),
    QT_TRANSLATE_NOOP("Sentences", "loudspeaker"),
    QT_TRANSLATE_NOOP("Sentences", "The microphone has gone away: plug it in again or choose another one."),
    QT_TRANSLATE_NOOP("Sentences", "The loudspeaker has gone away: plug it in again or choose another one."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The microphone gives no sound at all: check that it is not muted or used by another program."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The microphone has stopped: check its cable, and whether another program has taken it over."
    ),
    QT_TRANSLATE_NOOP("Sentences", "No {what} was found: plug one in and try again."),
    QT_TRANSLATE_NOOP("Sentences", "No sound device was found: plug one in and try again."),
    QT_TRANSLATE_NOOP("Sentences", "The {what} is in use by another program: close that program and try again."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The {what} could not be opened ({reason}): choose another one in the system's sound settings."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The package sounddevice is missing: pip install sounddevice"),
    QT_TRANSLATE_NOOP("Sentences", "The PortAudio library is missing, so there is no sound.{how}"),
    QT_TRANSLATE_NOOP("Sentences", " Install it with: sudo apt install libportaudio2"),
    QT_TRANSLATE_NOOP("Sentences", "The microphone needs a Python package that is missing: {name}."),
    QT_TRANSLATE_NOOP("Sentences", "The speech detector is missing: pip install 'silero-vad>=6.2.3' --no-deps."),
    QT_TRANSLATE_NOOP("Sentences", "you have switched the echo canceller off"),
    QT_TRANSLATE_NOOP("Sentences", "the package livekit is missing"),
    QT_TRANSLATE_NOOP("Sentences", "the echo canceller of the package livekit does not start here"),
    QT_TRANSLATE_NOOP("Sentences", "the echo canceller has failed"),
)
_MODEL = (
    QT_TRANSLATE_NOOP("Sentences", "Reading the model"),
    QT_TRANSLATE_NOOP("Sentences", "Preparing the network"),
    QT_TRANSLATE_NOOP("Sentences", "Loading the ears"),
    QT_TRANSLATE_NOOP("Sentences", "Loading the voice"),
    QT_TRANSLATE_NOOP("Sentences", "loading the model"),
    QT_TRANSLATE_NOOP("Sentences", "answering"),
    QT_TRANSLATE_NOOP("Sentences", "making the voice"),
    QT_TRANSLATE_NOOP("Sentences", "The model stopped unexpectedly and is being restarted."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The model stopped {count} times within a minute; choose another model, or close other programs and load it "
        "again.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The model is not running; load it again or choose another one."),
    QT_TRANSLATE_NOOP("Sentences", "No model is loaded yet; wait until it is ready and ask again."),
    QT_TRANSLATE_NOOP("Sentences", "No model is loaded yet; wait until it is ready."),
    QT_TRANSLATE_NOOP("Sentences", "The model {name} cannot make new voices; choose one of its own."),
    QT_TRANSLATE_NOOP("Sentences", "The question is longer than {seconds} seconds; please ask a shorter one."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The question is too long for this model ({needed} of at most {room} positions): ask it in fewer words.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The model {name} cannot see pictures: ask without one, or choose a model that can see."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The model {name} lacks its vision tower (the folder {folder}): download it again to ask about pictures.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "There is no voice '{name}': choose one of {names}."),
    QT_TRANSLATE_NOOP("Sentences", "There was not enough memory while {doing}; close other programs and try again."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Something went wrong while {doing} ({what}); please try again, and report it if it comes back.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The model folder {folder} cannot be used: {error}"),
    QT_TRANSLATE_NOOP("Sentences", "{folder} holds no model weights: download or copy the model folder again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is missing: this is not a model folder."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is missing: download or copy the model folder again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is missing or damaged: download or copy the model folder again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is missing or damaged ({error}): download or copy it again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged ({error}): download or copy it again."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is empty, so its download was cut off: download or copy it again."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{path} is only a pointer of Git LFS to the weights: download the file itself{size}, or run git lfs pull.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{path} is a web page that was saved under the name of the weights: download the file itself."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{path} is incomplete, it ends after {megabytes} MB: download or copy it again."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{path} is incomplete, it ends in the midst of '{name}': download or copy it again."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{path} is incomplete or damaged, it ends in its list of tensors: download or copy it again."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged, its list of tensors cannot be read: download or copy it again."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{path} cannot be read as a weight file, it is damaged or of another kind: download or copy it again.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{path} cannot be read: {error}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{path} does not fit this version of Banter: download or copy the model folder again."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "config.json names the audio encoder '{kind}', which this version of Banter does not have."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "config.json names the speech codec '{kind}', which this version of Banter does not have."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "There is too little voice in this clip: record three seconds or more of clear speech."
    ),
)
_FILES = (
    QT_TRANSLATE_NOOP("Sentences", "Your settings could not be read ({reason}), so the defaults are used."),
    QT_TRANSLATE_NOOP("Sentences", "Your settings file was damaged, so the defaults are used"),
    QT_TRANSLATE_NOOP("Sentences", "Some of your settings were not valid and were reset: {names}"),
    QT_TRANSLATE_NOOP("Sentences", "{what}. The old file is kept as {file}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Your conversations were saved by a newer Banter, so this one leaves them alone: what you say now is kept "
        "only until you close the window.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "This conversation is not being saved ({why}). Banter keeps it in memory: {then}."),
    QT_TRANSLATE_NOOP("Sentences", "the disk is full"),
    QT_TRANSLATE_NOOP("Sentences", "free some space and it is saved after all"),
    QT_TRANSLATE_NOOP("Sentences", "another program is using the file"),
    QT_TRANSLATE_NOOP("Sentences", "it is saved as soon as that one has finished"),
    QT_TRANSLATE_NOOP("Sentences", "it is saved as soon as that works again"),
    QT_TRANSLATE_NOOP("Sentences", "The file of your conversations was damaged: {saved}. It is kept as {file}."),
    QT_TRANSLATE_NOOP("Sentences", "{count} messages could be saved from it"),
    QT_TRANSLATE_NOOP("Sentences", "one message could be saved from it"),
    QT_TRANSLATE_NOOP("Sentences", "nothing in it could be read"),
    QT_TRANSLATE_NOOP("Sentences", "The conversations kept so far could not be deleted: their file cannot be written."),
    QT_TRANSLATE_NOOP("Sentences", "The conversations kept so far could not be deleted ({error})."),
    QT_TRANSLATE_NOOP("Sentences", "There is nothing to export yet: this conversation is empty."),
    QT_TRANSLATE_NOOP("Sentences", "No sound was kept of this conversation: switch keeping it on for the next one."),
    QT_TRANSLATE_NOOP("Sentences", "{file} could not be written: {reason}."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is a folder; give the name of a file to write."),
    QT_TRANSLATE_NOOP("Sentences", "There is no folder {folder}; create it first."),
    QT_TRANSLATE_NOOP("Sentences", "{path} cannot be written ({reason}); choose another place."),
)
_AGENDA = (
    QT_TRANSLATE_NOOP(
        "Sentences", "The file of your timers, reminders and notes was damaged: {saved}. It is kept as {file}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{entries} and {notes} could be saved from it"),
    QT_TRANSLATE_NOOP("Sentences", "A newer Banter keeps your timers and notes, so please update this one."),
    QT_TRANSLATE_NOOP("Sentences", "I could not save that because the disk is full, so please free some space."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Another program is using the file of your timers and notes. Please try again in a moment."
    ),
    QT_TRANSLATE_NOOP("Sentences", "I could not use the file of your timers and notes, {reason}."),
)
_VOICES = (
    QT_TRANSLATE_NOOP("Sentences", "The voice needs a name: type one."),
    QT_TRANSLATE_NOOP("Sentences", "The name is too long: use at most {most} characters."),
    QT_TRANSLATE_NOOP("Sentences", "The name holds a comma, a full stop or a slash: leave it out."),
    QT_TRANSLATE_NOOP("Sentences", "The voice cannot be saved as {path} ({reason}): choose another place."),
    QT_TRANSLATE_NOOP("Sentences", "{file} holds {count} voices, not one: import it instead."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is not a voice file, or it is damaged: choose another one."),
    QT_TRANSLATE_NOOP("Sentences", "{file} holds something else than voices: choose a voice file."),
    QT_TRANSLATE_NOOP("Sentences", "{file} holds no voice: choose another file."),
    QT_TRANSLATE_NOOP("Sentences", "The voice {name} in {file} is damaged: make it again, or choose another file."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is not a file: choose a voice file."),
    QT_TRANSLATE_NOOP("Sentences", "{file} is too large for a voice: choose another file."),
    QT_TRANSLATE_NOOP("Sentences", "There is no file {path}: check the name."),
    QT_TRANSLATE_NOOP("Sentences", "{file} cannot be read ({reason}): choose another file."),
    QT_TRANSLATE_NOOP("Sentences", "There is no voice of your own called {name}: look at the list."),
    QT_TRANSLATE_NOOP("Sentences", "The voice {name} cannot be deleted ({reason}): try again."),
    QT_TRANSLATE_NOOP("Sentences", "There is a voice called {name} already: choose another name."),
    QT_TRANSLATE_NOOP("Sentences", "The voice {name} does not fit this model{model}: choose another one."),
    QT_TRANSLATE_NOOP("Sentences", "This model cannot make voices: choose another model, or one of its own voices."),
    QT_TRANSLATE_NOOP("Sentences", "There is not enough speech to make a voice from: use a longer clip."),
    QT_TRANSLATE_NOOP("Sentences", "reading the voices"),
    QT_TRANSLATE_NOOP("Sentences", "{path} has no sound in it; choose a recording of speech."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is longer than {most} seconds; cut out the part you need."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is only {seconds} seconds long; speech needs at least {least} seconds."),
    QT_TRANSLATE_NOOP("Sentences", "{path} contains samples that are not numbers; export the recording again."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{path} is silent (nothing in it is louder than {level} dBFS); check the microphone and record again.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{path} is a folder; choose a sound file."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is not a file; choose a sound file."),
    QT_TRANSLATE_NOOP("Sentences", "There is no file {path}; check the name."),
    QT_TRANSLATE_NOOP("Sentences", "{path} cannot be read ({reason})."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is empty; choose a recording of speech."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is not a sound file that can be read; choose another one."),
    QT_TRANSLATE_NOOP("Sentences", "{path} changes its sample rate midway; convert it to WAV first."),
    QT_TRANSLATE_NOOP("Sentences", "{path} has a rate of {rate} Hz; speech needs at least {least} Hz."),
)
_BRAIN = (
    QT_TRANSLATE_NOOP("Sentences", "From {model} on this computer"),
    QT_TRANSLATE_NOOP("Sentences", "From {model} at {host}"),
    QT_TRANSLATE_NOOP("Sentences", "This is no address of a chat program: write one like {address}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{host} is another computer: allow that in the settings, or use an address of this one."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "No larger model is chosen yet: choose one in the settings, or type its name there."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The program at {address} has no model yet: load one there."),
    QT_TRANSLATE_NOOP("Sentences", "{model} answered after {seconds} s: {words}"),
    QT_TRANSLATE_NOOP("Sentences", "{model} answered nothing that can be said: ask again, or choose another model."),
    QT_TRANSLATE_NOOP("Sentences", "Something went wrong while {model} answered: ask again."),
    QT_TRANSLATE_NOOP("Sentences", "{address} does not answer in time: see whether the program there is well."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{model} did not begin to answer in {seconds} seconds: ask again, or choose a smaller model."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{model} took too long, so the rest of its answer is left out: choose a smaller model."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The answer of {model} broke off: ask again, and see whether the program is well."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Nothing answers at {address}: start the program there, or correct the address in the settings.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The program at {address} wants a key, which Banter has none of: switch that off there."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The program at {address} has no model {model}: choose another one in the settings."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The program at {address} reports a fault of its own (error {number}): restart it, or ask again.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The program at {address} refuses the question (error {number}): choose another model in the settings.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "What answers at {address} is no chat program: correct the address in the settings."
    ),
)
# What the systems say, which stands within the sentences above.
_SYSTEM = (
    QT_TRANSLATE_NOOP("Sentences", "No space left on device"),
    QT_TRANSLATE_NOOP("Sentences", "No such file or directory"),
    QT_TRANSLATE_NOOP("Sentences", "Permission denied"),
    QT_TRANSLATE_NOOP("Sentences", "Read-only file system"),
)
# The stubs do not know that what is marked stays a string.
KNOWN = tuple(map(str, (*_TURNS, *_SOUND, *_MODEL, *_FILES, *_AGENDA, *_VOICES, *_BRAIN, *HUB)))
SYSTEM = tuple(map(str, _SYSTEM))

_PLACE = re.compile(r"\{(\w+)\}")


def shown(sentence: str) -> str:
    """`sentence` as the window shows it: translated where it is known, otherwise as it is."""
    return _read(sentence)[1]


def _read(sentence: str) -> tuple[int, str]:
    """How many letters of `sentence` are known, and what it is in the user's language.

    A sentence may stand within another one, so several readings may fit: the one that knows most of it is taken.
    """
    best, found = 0, sentence
    for template, known, pattern in _patterns():
        match = pattern.fullmatch(sentence)
        if match is None:
            continue
        parts = {name: _read(part) for name, part in match.groupdict().items()}
        known += sum(letters for letters, _ in parts.values())
        if known > best:
            words = QCoreApplication.translate("Sentences", template)
            best, found = known, words.format(**{name: text for name, (_, text) in parts.items()})
    return best, found


@cache
def _patterns() -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """The templates with the number of their own letters; those that begin with them first."""
    templates = sorted((*KNOWN, *SYSTEM), key=lambda text: text.startswith("{"))
    return tuple((text, len(_PLACE.sub("", text)), _pattern(text)) for text in templates)


def _pattern(template: str) -> re.Pattern[str]:
    pieces = _PLACE.split(template)
    words = [re.escape(piece) if number % 2 == 0 else f"(?P<{piece}>.*?)" for number, piece in enumerate(pieces)]
    return re.compile("".join(words), re.DOTALL)
