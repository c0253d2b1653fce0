"""Text from data on its way to a terminal: a column name is never a command to it."""

from collections.abc import Iterable, Mapping


def printable(text: str) -> str:
    r"""Return the text with control characters as escapes; line breaks stay.

    >>> printable("dose \x1b[2J")
    'dose \\x1b[2J'
    """
    return "".join(
        character
        if character.isprintable() or character == "\n"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def on_one_line(text: str) -> str:
    r"""Return the text without line breaks and other control characters.

    >>> on_one_line("a\n  column\twith\x07breaks")
    'a column with\\x07breaks'
    """
    return printable(" ".join(text.split()))


def listed(names: Iterable[str]) -> str:
    """Return names with commas between them, or a dash.

    >>> listed(["load", "wear"]), listed([])
    ('load, wear', '-')
    """
    return ", ".join(names) or "-"


def kinds_in_words(kinds: Mapping[str, str]) -> str:
    """Return in one line which columns are of which kind, and how to change it.

    >>> kinds_in_words({"load": "continuous", "town": "nominal", "heat": "continuous"})
    'Kinds: continuous: load, heat; nominal: town (--kinds changes them).'
    """
    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(kind, []).append(name)
    words = "; ".join(f"{kind}: {listed(names)}" for kind, names in by_kind.items())
    return f"Kinds: {words} (--kinds changes them)."
