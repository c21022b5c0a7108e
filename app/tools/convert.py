"""Conversion of units: "five miles makes about eight kilometres"."""

from __future__ import annotations

from fractions import Fraction

from app.tools.calculate import as_json, exactly, in_digits
from app.tools.tool import Arguments, Result, Run, ToolFailure
from app.tools.units import ABSOLUTE_ZERO, UNITS, Unit, converted
from app.tools.words.amounts import Rounding, spoken_amount

_GIVEN = Rounding(exact=6, places=2, significant=3)
_FOUND = Rounding(exact=2, places=1, significant=2, whole=True)


def convert_units() -> Run:
    """The tool: `value`, `from_unit`, `to_unit` to `result`, rounded where it has no end."""
    return _run


def _run(arguments: Arguments) -> Result:
    value = exactly(arguments["value"])
    source, target = UNITS[arguments["from_unit"]], UNITS[arguments["to_unit"]]
    if source.kind != target.kind:
        raise ToolFailure(f"{_measures(source)} and {_measures(target).lower()}, so I cannot turn one into the other.")
    if source.kind == "temperature" and converted(value, source, UNITS["celsius"]) < ABSOLUTE_ZERO:
        raise ToolFailure("Nothing can be as cold as that.")
    result = converted(value, source, target)
    try:
        said = _spoken(value, source, _GIVEN), _spoken(result, target, _FOUND)
    except ValueError as error:
        raise ToolFailure("That number is too large for me to say.") from error
    return Result(
        {
            "value": arguments["value"],
            "from_unit": arguments["from_unit"],
            "to_unit": arguments["to_unit"],
            "result": _shortened(result),
            "spoken_from": said[0],
            "spoken_to": said[1],
        },
        f"{in_digits(value)} {source.sign} = {in_digits(Fraction(str(_shortened(result))))} {target.sign}",
    )


def _measures(unit: Unit) -> str:
    name = unit.plural.replace("degrees ", "").capitalize()
    return f"{name} {'measures' if unit.kind == 'temperature' else 'measure'} {unit.kind}"


def _spoken(value: Fraction, unit: Unit, rounding: Rounding) -> str:
    amount = spoken_amount(value, rounding)
    return f"{amount.words} {unit.singular if amount.one else unit.plural}"


def _shortened(value: Fraction) -> int | float:
    """8.04672 as 8.05; small ones keep four digits."""
    if value.denominator == 1:
        return value.numerator
    return as_json(round(value, 2)) if abs(value) >= 1 else float(f"{float(value):.4g}")
