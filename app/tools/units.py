"""Units of measure: size, kind and name aloud. Cups, pints, gallons and spoons are the American ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Unit:
    """One unit: `value` of it are `value * size + offset` of the base unit of its kind."""

    kind: str
    size: Fraction
    singular: str
    plural: str
    sign: str
    offset: Fraction = Fraction(0)


def _unit(kind: str, size: str, singular: str, plural: str, sign: str, offset: str = "0") -> Unit:
    return Unit(kind, Fraction(size), singular, plural, sign, Fraction(offset))


UNITS = {
    "millimeters": _unit("length", "0.001", "millimetre", "millimetres", "mm"),
    "centimeters": _unit("length", "0.01", "centimetre", "centimetres", "cm"),
    "meters": _unit("length", "1", "metre", "metres", "m"),
    "kilometers": _unit("length", "1000", "kilometre", "kilometres", "km"),
    "inches": _unit("length", "0.0254", "inch", "inches", "in"),
    "feet": _unit("length", "0.3048", "foot", "feet", "ft"),
    "yards": _unit("length", "0.9144", "yard", "yards", "yd"),
    "miles": _unit("length", "1609.344", "mile", "miles", "mi"),
    "grams": _unit("weight", "0.001", "gram", "grams", "g"),
    "kilograms": _unit("weight", "1", "kilogram", "kilograms", "kg"),
    "ounces": _unit("weight", "0.028349523125", "ounce", "ounces", "oz"),
    "pounds": _unit("weight", "0.45359237", "pound", "pounds", "lb"),
    "stones": _unit("weight", "6.35029318", "stone", "stone", "st"),
    "celsius": _unit("temperature", "1", "degree Celsius", "degrees Celsius", "°C"),
    "fahrenheit": _unit("temperature", "5/9", "degree Fahrenheit", "degrees Fahrenheit", "°F", "-160/9"),
    "milliliters": _unit("volume", "0.001", "millilitre", "millilitres", "ml"),
    "liters": _unit("volume", "1", "litre", "litres", "l"),
    "teaspoons": _unit("volume", "0.00492892159375", "teaspoon", "teaspoons", "tsp"),
    "tablespoons": _unit("volume", "0.01478676478125", "tablespoon", "tablespoons", "tbsp"),
    "cups": _unit("volume", "0.2365882365", "cup", "cups", "US cups"),
    "pints": _unit("volume", "0.473176473", "pint", "pints", "US pt"),
    "gallons": _unit("volume", "3.785411784", "gallon", "gallons", "US gal"),
    "seconds": _unit("time", "1", "second", "seconds", "s"),
    "minutes": _unit("time", "60", "minute", "minutes", "min"),
    "hours": _unit("time", "3600", "hour", "hours", "h"),
    "days": _unit("time", "86400", "day", "days", "d"),
    "weeks": _unit("time", "604800", "week", "weeks", "wk"),
    "kilometers_per_hour": _unit("speed", "1", "kilometre per hour", "kilometres per hour", "km/h"),
    "miles_per_hour": _unit("speed", "1.609344", "mile per hour", "miles per hour", "mph"),
}
ABSOLUTE_ZERO = Fraction("-273.15")  # degrees Celsius


def converted(value: Fraction, from_unit: Unit, to_unit: Unit) -> Fraction:
    """The exact amount; both units must be of one kind."""
    return (value * from_unit.size + from_unit.offset - to_unit.offset) / to_unit.size
