"""Theme, language, text size and motion."""

from __future__ import annotations

from app.gui import translation
from app.gui.preferences.page import Page
from app.gui.preferences.parts import Scale, Segments, Switch
from app.settings import TEXT_SIZES, Language, Settings, Theme


class LookPage(Page):
    """What Banter looks like."""

    FIELDS = ("theme", "language", "text_size", "reduced_motion", "show_latency")

    def build(self) -> None:
        card = self.card()
        self.theme = Segments(
            (
                (Theme.LIGHT, self.tr("Light"), self.tr("Dark words on a light ground")),
                (Theme.DARK, self.tr("Dark"), self.tr("Light words on a dark ground")),
                (Theme.SYSTEM, self.tr("As the system"), self.tr("Changes with the setting of your system")),
            )
        )
        self.theme.chosen.connect(lambda value: self.changed.emit({"theme": value}))
        card.row(self.tr("&Theme"), self.theme)
        as_system = self.tr("That of your system where Banter knows it, otherwise English")
        self.language = Segments(
            (
                *((language, name, "") for language, name in translation.NAMES.items()),
                (Language.SYSTEM, self.tr("As the system"), as_system),
            )
        )
        self.language.chosen.connect(lambda value: self.changed.emit({"language": value}))
        card.row(
            self.tr("Lan&guage"),
            self.language,
            self.tr("Of the windows, from the next start of Banter on. The model answers in the languages it knows."),
        )
        # Only when it is let go: the slider itself moves as the text grows.
        self.text_size = Scale(TEXT_SIZES, tracking=False)
        self.text_size.moved.connect(lambda percent: self.changed.emit({"text_size": percent}))
        card.row(self.tr("Text &size"), self.text_size, self.tr("Compared with the text of your system."))
        self.text_size.slider.setAccessibleName(self.tr("Text size"))
        self.motion = Switch()
        self.motion.clicked.connect(lambda on: self.changed.emit({"reduced_motion": on}))
        card.row(
            self.tr("Less &motion"),
            self.motion,
            self.tr("The picture of what Banter is doing stands still. Off: as your system wants it."),
        )
        self.latency = Switch()
        self.latency.clicked.connect(lambda on: self.changed.emit({"show_latency": on}))
        card.row(
            self.tr("Show how &long each answer took"),
            self.latency,
            self.tr(
                "A line below each answer, which opens to show where the time went. Off: in the menu of a message."
            ),
        )

    def show_settings(self, settings: Settings) -> None:
        self.theme.set_value(settings.theme)
        self.language.set_value(settings.language)
        self.text_size.set_value(settings.text_size)
        self.motion.setChecked(settings.reduced_motion)
        self.latency.setChecked(settings.show_latency)
