"""Checks at the door: plain values in, nothing out, or an error that says what to do."""

import math
import unicodedata
from collections.abc import Collection
from difflib import get_close_matches
from itertools import islice
from numbers import Integral, Real
from reprlib import Repr

from causalaug.exceptions import GraphMismatchError, ParameterError

MOST_NAMED = 10
"""Names in one error: enough to see what they are, and few enough to be read."""

# The grapheme joiner, and the variation selectors, which ask for one picture of a character.
_NOT_SEEN = frozenset({"\u034f", *map(chr, range(0xFE00, 0xFE10))})


def some(names: Collection[object]) -> str:
    """Return names as a list that is written out, cut where they are too many.

    >>> some(["a", "b"]), some(range(12))
    ("['a', 'b']", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...] (12 in all)')
    """
    shown = ", ".join(brief(name) for name in islice(names, MOST_NAMED))
    return f"[{shown}]" if len(names) <= MOST_NAMED else f"[{shown}, ...] ({len(names):,} in all)"


def check_same_variables(nodes: Collection[str], columns: Collection[str]) -> None:
    """Raise unless the graph and the data name the same variables."""
    if set(nodes) != set(columns):
        raise different_variables(nodes, columns)


def different_variables(nodes: Collection[str], columns: Collection[str]) -> GraphMismatchError:
    """Return the error that the graph and the data do not name the same variables."""
    only_graph = sorted(set(nodes) - set(columns))
    only_data = sorted(set(columns) - set(nodes))
    return GraphMismatchError(
        "The graph and the data must name the same variables. "
        f"Only in the graph: {some(only_graph)}. Only in the data: {some(only_data)}. "
        + (
            look_alikes([*only_graph, *only_data], [*nodes, *columns])
            or typing_slips(only_graph, only_data)
        )
        + _way_out([node for node in nodes if node in columns], only_graph)
    )


def _way_out(kept: list[str], only_graph: list[str]) -> str:
    """Return what to do about names that do not match, with the call to paste."""
    if not only_graph or not kept:
        return "Rename or drop columns."
    keep = (
        str(kept) if len(kept) <= MOST_NAMED else "[v for v in graph.nodes if v in frame.columns]"
    )
    return (
        "Rename or drop columns, or project variables out of the graph with "
        f"`latent_projection(graph, keep={keep})`."
    )


def typing_slips(wrong: Collection[str], right: Collection[str]) -> str:
    """Return a sentence that pairs each wrong name with the right one it resembles, or ''."""
    # Comparing thousands of names with thousands takes minutes, and nobody would read the result.
    wrong = list(wrong)[:MOST_NAMED]
    alike = look_alikes(wrong, right)
    if alike:
        return alike
    close = {name: get_close_matches(name, right, n=1) for name in wrong}
    hints = [f"{name!r} -> {match[0]!r}" for name, match in close.items() if match]
    return f"A typing slip? {', '.join(hints)}. " if hints else ""


def look_alikes(wrong: Collection[str], others: Collection[str]) -> str:
    r"""Return a sentence on names that look the same as another and are not, or ''.

    An accent is a character of its own or part of a letter, depending on who typed it; other
    characters, such as a joiner, are not seen at all. Quoted as usual, both look alike:

    >>> look_alikes(["e\u0301te\u0301"], ["\xe9t\xe9"])[50:85]
    "'e\\u0301te\\u0301' and '\\xe9t\\xe9'. "
    """
    seen: dict[str, str] = {}
    pairs: list[str] = []
    for name in dict.fromkeys((*wrong, *others)):
        twin = seen.setdefault(_look(name), name)
        if twin != name and twin in wrong:
            pairs.append(f"{ascii(twin)} and {ascii(name)}")
    if not pairs:
        return ""
    return (
        "Names that look alike differ in their characters: "
        f"{', '.join(pairs[:MOST_NAMED])}. Spell both alike, for example by "
        "unicodedata.normalize('NFC', name). "
    )


def _look(name: str) -> str:
    """Return a name without what is not seen: how accents are written, and invisible characters."""
    shown = unicodedata.normalize("NFKC", name)
    return "".join(c for c in shown if unicodedata.category(c) != "Cf" and c not in _NOT_SEEN)


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise unless `value` is one of the `choices`."""
    if not isinstance(value, str) or value not in choices:
        slips = typing_slips([value], choices).strip() if isinstance(value, str) else ""
        text = f"`{name}` must be one of {some(sorted(choices))}. Found {brief(value)}. {slips}"
        raise ParameterError(text.rstrip())


def is_positive(value: object) -> bool:
    """Return whether `value` is a positive, finite real number, and not a bool."""
    return _is_finite(value) and value > 0  # type: ignore[operator]


def is_share(value: object) -> bool:
    """Return whether `value` is a real number from 0 to 1, and not a bool."""
    return _is_finite(value) and 0 <= value <= 1  # type: ignore[operator]


def _is_finite(value: object) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_columns_exist(name: str, named: Collection[str], columns: Collection[str]) -> None:
    """Raise unless every column that the argument `name` mentions exists."""
    unknown = sorted(str(column) for column in named if column not in columns)
    if unknown:
        raise ParameterError(
            f"`{name}` names columns that the data do not have: {some(unknown)}. "
            + typing_slips(unknown, columns)
            + f"The columns are {some(columns)}."
        )


def check_at_least(name: str, value: object, least: float) -> None:
    """Raise unless `value` is a finite real number of at least `least`."""
    if not _is_finite(value) or value < least:  # type: ignore[operator]
        raise ParameterError(f"`{name}` must be a number of at least {least:g}. Found {value!r}.")


def check_integer(name: str, value: object, *, at_least: int) -> None:
    """Raise unless `value` is an integer of at least `at_least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        raise ParameterError(
            f"`{name}` must be an integer of at least {at_least}. Found {brief(value)}."
        )


def check_jobs(n_jobs: object) -> None:
    """Raise unless `n_jobs` is a number of processes as joblib takes it."""
    is_number = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_number or n_jobs == 0):
        raise ParameterError(
            f"`n_jobs` must be None, a number of processes, or -1 for all cores. Found {n_jobs!r}."
        )


def check_bool(name: str, value: object) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"`{name}` must be True or False. Found {value!r}.")


def check_share(name: str, share: object) -> None:
    """Raise unless `share` is a number from 0 to 1: lambda, the weight of the new rows."""
    if not _is_finite(share) or not 0.0 <= share <= 1.0:  # type: ignore[operator]
        raise ParameterError(f"`{name}` must lie between 0 and 1. Found {share!r}.")


def check_level(level: object) -> None:
    """Raise unless `level` is a probability, the level of a quantile."""
    if not _is_finite(level) or not 0.0 <= level <= 1.0:  # type: ignore[operator]
        # A whole number is a percentage; 1.2 may be a slip for anything.
        is_percent = level in range(2, 101)
        advice = f" Write {level / 100:g}." if is_percent else ""  # type: ignore[operator]
        shown = f"{level:g}" if isinstance(level, Real) else brief(level)
        raise ParameterError(
            "The level of a quantile must lie between 0 and 1, as in [0.1, 0.9] for an interval "
            f"that holds eight in ten. Found {shown}.{advice}"
        )


def no_node(target: object, nodes: Collection[str]) -> str:
    """Return the words for a target that is no node of the graph, and the ways out."""
    slips = typing_slips([target], nodes) if isinstance(target, str) else ""
    return (
        f"The target must be a node of the graph. Found {brief(target)}, which is missing from the "
        f"graph of {some(nodes)}. {slips}Add it with its edges to the causes and effects, or name "
        "another target."
    )


def brief(value: object) -> str:
    """Return a value as `repr` shows it, cut where that is too long to be read in an error.

    >>> brief("a" * 1000)[-10:], len(brief("a" * 1000)), brief([[[1]], 2.5])
    ("aaaaaaaaa'", 240, '[[[1]], 2.5]')
    """
    try:
        return _BRIEF.repr(value)
    except ValueError:  # Python does not write out integers of more than 4,300 digits.
        return f"an {type(value).__name__} of too many digits"


_BRIEF = Repr()
_BRIEF.maxstring = _BRIEF.maxother = 240
_BRIEF.maxlong = 60
_BRIEF.maxlist = _BRIEF.maxtuple = _BRIEF.maxset = _BRIEF.maxdict = 10
