"""What Banter asks back when an argument is missing or does not fit."""

from __future__ import annotations

from app.tools.tool import Arguments
from app.tools.words.plain import plain

_QUESTIONS = {
    ("day_of_week_for", "date_phrase"): "Sure, which date do you have in mind?",
    ("set_timer", "seconds"): "For how long should I set the timer?",
    ("set_timer", "label"): "What should I call the timer?",
    ("list_timers", "label"): "Which timer do you mean?",
    ("cancel_timer", "label"): "Which timer should I cancel?",
    ("cancel_timer", "all"): "Should I cancel every timer?",
    ("set_alarm", "time"): "Sure, what time should it ring?",
    ("set_alarm", "day"): "On which day should it ring?",
    ("set_alarm", "repeat"): "Should it ring every day, on weekdays or at weekends?",
    ("add_reminder", "task"): "What should I remind you of?",
    ("add_reminder", "time"): "Sure, when should I remind you?",
    ("add_reminder", "day"): "On which day should I remind you?",
    ("add_reminder", "in_seconds"): "How long from now should I remind you?",
    ("list_reminders", "day"): "For which day should I look?",
    ("take_note", "text"): "Sure, what should I write down?",
    ("read_notes", "which"): "All your notes, or just the latest?",
    ("read_notes", "query"): "What is the note about?",
    ("calculate", "left"): "Which two numbers do you mean?",
    ("calculate", "operation"): "And what shall I do with those numbers?",
    ("calculate", "right"): "What is the second number?",
    ("convert_units", "value"): "How much of it should I convert?",
    ("convert_units", "from_unit"): "From which unit should I convert?",
    ("convert_units", "to_unit"): "Into which unit should I convert it?",
    ("roll_dice", "count"): "How many dice should I roll?",
    ("roll_dice", "sides"): "How many sides should the dice have?",
    ("pick_random_number", "low"): "Sure, between which two numbers?",
    ("pick_random_number", "high"): "What is the highest number?",
    ("get_weather", "city"): "Which city should I check the weather for?",
    ("get_weather", "day"): "For which day would you like the weather?",
    ("set_volume", "level"): "Sure, to what percentage shall I set it?",
    ("set_volume", "change"): "Should the sound go up or down?",
    ("set_volume", "amount"): "By how many percent should I change it?",
    ("media_control", "action"): "Should I play, pause or skip?",
    ("open_application", "application"): "Sure, which application should I open?",
    ("system_status", "item"): "The battery, the memory or the disk?",
    ("change_voice", "voice"): "Sure, which voice would you like?",
    ("define_word", "word"): "Sure, which word shall I look up?",
}


def question_for(tool: str, argument: str) -> str:
    """A sentence, fit to be spoken, that asks for one argument of a tool."""
    return _QUESTIONS.get((tool, argument)) or f"What should the {argument.replace('_', ' ')} be?"


def confirmation_for(tool: str, arguments: Arguments) -> str:
    """A sentence, fit to be spoken, that asks whether a call is really meant."""
    if tool == "cancel_timer":
        if arguments.get("all"):
            return "Shall I cancel every timer?"
        label = plain(str(arguments.get("label", ""))).removesuffix(" timer")
        return f"Shall I cancel the {label} timer?" if label else "Shall I cancel the timer?"
    return "Shall I really do that?"
