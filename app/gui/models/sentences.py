"""What the layer of the models tells the user, for the table of all sentences (see `app.gui.sentences`)."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

HUB = (
    QT_TRANSLATE_NOOP("Sentences", "{folder} is no folder: choose the one that holds the model."),
    QT_TRANSLATE_NOOP("Sentences", "{model} is here already: remove it first to import another one."),
    QT_TRANSLATE_NOOP("Sentences", "{path} cannot be read as a model's configuration: copy the model folder again."),
    QT_TRANSLATE_NOOP("Sentences", "{source} was not copied well: check the disk and try again."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{folder} holds no model: config.json, tokenizer.json and the weights must be in one folder."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{folder} holds several models ({names}): choose the folder of one of them."),
    QT_TRANSLATE_NOOP("Sentences", "{folder} cannot be read ({reason})."),
    QT_TRANSLATE_NOOP("Sentences", "{path} is damaged or incomplete: copy it again."),
    QT_TRANSLATE_NOOP("Sentences", "{part} is missing: put its folder, named {name}, into {folder}."),
    QT_TRANSLATE_NOOP("Sentences", "{part} is incomplete: there is no {name}."),
    QT_TRANSLATE_NOOP("Sentences", "The list of models {path} cannot be used: {error}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{needed} of free disk space is needed, and {free} is there: make room and try again."
    ),
    QT_TRANSLATE_NOOP("Sentences", "There is no model {model}: `banter models` lists those that there are."),
    QT_TRANSLATE_NOOP(
        "Sentences", "There is no model {model} to download: `banter models` lists those that there are."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{hub} sends from one address to the next without end: choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} sends to an address that cannot be used: choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} cannot be reached: check the network, or choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} does not answer: check the network, or choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} is too slow: try again later, or choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} is busy ({status}): try again later."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} refused to tell about {part} ({status}): choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} did not answer as a model hub does: choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} does not give {file} away ({status}): choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} has no {file} ({status}): choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{hub} has another {file} than the one that it announces: choose another mirror."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{hub} sent a web page instead of {file}: log in to this network, or choose another mirror."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The connection to {hub} was cut: check the network and try again."),
    QT_TRANSLATE_NOOP("Sentences", "{file} differs from what was published: try again, or choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "The proxy of this computer cannot be used: {error}."),
    QT_TRANSLATE_NOOP("Sentences", "{mirror} is no address of a mirror: it begins with https:// or http://."),
    QT_TRANSLATE_NOOP("Sentences", "{part} was not found at {hub} ({status}): choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{part} is not published at {hub}: choose another mirror."),
    QT_TRANSLATE_NOOP("Sentences", "{repository} is no repository: correct it in the list of models."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Banter is to stay offline: allow it to use the network, or import the model from a folder."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The disk is full: free some space and try again; what is here already is kept."),
    QT_TRANSLATE_NOOP("Sentences", "{path} cannot be written ({reason})."),
    QT_TRANSLATE_NOOP("Sentences", "Something went wrong with the model ({detail}); please try again."),
    QT_TRANSLATE_NOOP("Sentences", "{model} was not brought here by Banter, so there is nothing to compare it with."),
    QT_TRANSLATE_NOOP("Sentences", "The starter belongs to Banter and stays."),
    QT_TRANSLATE_NOOP("Sentences", "Another Banter is busy with the models: wait until it has finished."),
)
