"""The language of the windows: English as in the source, or a translation of `assets/translations`.

To refresh the translations after a change of the words: `python packaging/translations.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QGuiApplication

from app import paths
from app.gui import theme
from app.settings import Language

# In their own words, since whoever looks for one may read no other.
NAMES = {Language.ENGLISH: "English", Language.CHINESE: "简体中文"}

_log = logging.getLogger(__name__)


def install(app: QCoreApplication, wanted: Language) -> Language:
    """Translate all that is shown from now on into `wanted`; returns the language in use, never `Language.SYSTEM`.

    To be called before the first widget is made: what is on the screen already keeps its words. Dates and buttons
    of Qt follow. Where a translation is missing, its words are in English and the log says so.
    """
    for before in app.findChildren(QTranslator):
        app.removeTranslator(before)
        before.deleteLater()
    language = wanted if wanted != Language.SYSTEM else of_system(QLocale.system().uiLanguages())
    QLocale.setDefault(_locale(wanted))
    if language == Language.ENGLISH:
        return language
    if isinstance(app, QGuiApplication):
        theme.prefer_chinese(app)
    own = _load(app, f"banter_{language}", str(paths.translations_dir()))
    # Its own buttons, such as "Cancel".
    _load(app, f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    return language if own else Language.ENGLISH


def of_system(languages: Sequence[str]) -> Language:
    """The first of `languages` (such as "zh-Hans-CN", the best liked first) that Banter speaks, otherwise English."""
    for name in languages:
        locale = QLocale(name)
        if locale.language() == QLocale.Language.English:
            return Language.ENGLISH
        simplified = locale.script() == QLocale.Script.SimplifiedHanScript
        if locale.language() == QLocale.Language.Chinese and simplified:
            return Language.CHINESE
    return Language.ENGLISH


def _locale(wanted: Language) -> QLocale:
    """How dates and times are written: as the system does, unless that is another language than the one chosen."""
    system, chosen = QLocale.system(), QLocale(wanted.value)
    return system if wanted == Language.SYSTEM or system.language() == chosen.language() else chosen


def _load(app: QCoreApplication, name: str, folder: str) -> bool:
    translator = QTranslator(app)
    if translator.load(name, folder) and app.installTranslator(translator):
        return True
    translator.deleteLater()
    _log.warning("no translation %s in %s", name, folder)
    return False
