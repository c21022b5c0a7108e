"""Sums with two numbers, exact: 0.1 plus 0.2 is 0.3."""

from __future__ import annotations

from fractions import Fraction

from app.tools.tool import Arguments, Result, Run, ToolFailure
from app.tools.words.amounts import Rounding, spoken_amount

_ROUNDING = Rounding(exact=4, places=2, significant=3)
_SAID = {
    "plus": "{left} plus {right}",
    "minus": "{left} minus {right}",
    "times": "{left} times {right}",
    "divided_by": "{left} divided by {right}",
    "percent_of": "{left} percent of {right}",
    "percent_off": "{left} percent off {right}",
    "percent_on": "{right} plus {left} percent",
}
_WRITTEN = {
    "plus": "{left} + {right}",
    "minus": "{left} - {right}",
    "times": "{left} × {right}",
    "divided_by": "{left} ÷ {right}",
    "percent_of": "{left}% of {right}",
    "percent_off": "{right} - {left}%",
    "percent_on": "{right} + {left}%",
}


def calculate() -> Run:
    """The tool: `left`, `operation`, `right` to `result`, an int where it is whole."""
    return _run


def computed(left: Fraction, operation: str, right: Fraction) -> Fraction:
    """The exact result; with the percent operations `left` is the percentage. ToolFailure when there is none."""
    match operation:
        case "plus":
            return left + right
        case "minus":
            return left - right
        case "times":
            return left * right
        case "divided_by":
            if not right:
                raise ToolFailure("Nothing can be divided by zero, so that sum has no answer.")
            return left / right
        case "percent_of":
            return right * left / 100
        case "percent_off":
            return right - right * left / 100
        case "percent_on":
            return right + right * left / 100
    raise ToolFailure()


def exactly(number: float) -> Fraction:
    """The number that was written: the float 0.1 stands for a tenth."""
    return Fraction(repr(number))


def as_json(value: Fraction) -> int | float:
    """An int where `value` is whole, else the nearest float."""
    return value.numerator if value.denominator == 1 else float(value)


def in_digits(value: Fraction) -> str:
    """For the eye, with six digits at most unless it is whole."""
    return f"{value.numerator}" if value.denominator == 1 else f"{float(value):.6g}"


def _run(arguments: Arguments) -> Result:
    left, operation, right = exactly(arguments["left"]), arguments["operation"], exactly(arguments["right"])
    result = computed(left, operation, right)
    try:
        said = [spoken_amount(value, _ROUNDING).words for value in (left, right, result)]
    except ValueError as error:
        raise ToolFailure("That number is too large for me to say.") from error
    return Result(
        {
            "left": arguments["left"],
            "operation": operation,
            "right": arguments["right"],
            "result": as_json(result),
            "spoken_expression": _SAID[operation].format(left=said[0], right=said[1]),
            "spoken_result": said[2],
        },
        f"{_WRITTEN[operation].format(left=in_digits(left), right=in_digits(right))} = {in_digits(result)}",
    )
