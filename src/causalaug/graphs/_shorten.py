"""Short words for error texts: a message stays readable however long the input was.

An error that repeats a text of 800,000 characters, or lists 20,000 nodes, hides what it says.
So every message in `graphs` shows what it found through one of these:

>>> shown("x" * 1000, most=5), shown(10**5000)
("'xxxxx'...", '<int>')
>>> listed(f"v{i}" for i in range(12))
"['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8', 'v9'] and 2 more"
>>> arrows(["A", "B", "A"])
'A -> B -> A'
"""

from collections.abc import Collection, Iterable, Sequence

from causalaug._validation import typing_slips

MOST_NAMES = 10
MOST_CHARACTERS = 200
NAME_CHARACTERS = 60
MOST_CANDIDATES = 1_000
"""Among more names than this, looking for similar ones takes longer than a reader waits."""


def shown(value: object, most: int = MOST_CHARACTERS) -> str:
    """Return the repr of any value, cut to a readable length."""
    if isinstance(value, str):
        return f"{value[:most]!r}..." if len(value) > most else repr(value)
    try:
        text = repr(value)
    except Exception:
        # Foreign objects may do anything; Python itself refuses integers of 5,000 digits.
        return f"<{type(value).__name__}>"
    return f"{text[:most]}..." if len(text) > most else text


def plain(name: object) -> str:
    """Return a name as it stands beside an arrow: without quotes if it can be printed."""
    if not isinstance(name, str) or not name.isprintable():
        return shown(name, NAME_CHARACTERS)
    return f"{name[:NAME_CHARACTERS]}..." if len(name) > NAME_CHARACTERS else name


def listed(names: Iterable[object]) -> str:
    """Return names as a list shows them, at most ten, and how many more there are."""
    found = list(names)
    return f"[{_joined(found)}]{_more(found)}"


def quoted(names: Sequence[object]) -> str:
    """Return names in quotes with commas between, at most ten, and how many more there are."""
    return f"{_joined(names)}{_more(names)}"


def group(names: Sequence[str]) -> str:
    """Return one name, or several in braces, as in arrow text."""
    if len(names) == 1:
        return plain(names[0])
    return f"{{{', '.join(map(plain, names[:MOST_NAMES]))}}}{_more(names)}"


def arrows(nodes: Sequence[str]) -> str:
    """Return a directed path; of a long one only the first nodes and the last."""
    if len(nodes) <= MOST_NAMES:
        return " -> ".join(map(plain, nodes))
    left_out = f"... ({len(nodes) - MOST_NAMES:,} more)"
    return " -> ".join([*map(plain, nodes[: MOST_NAMES - 1]), left_out, plain(nodes[-1])])


def slips(wrong: Sequence[object], right: Collection[str]) -> str:
    """Return a sentence that pairs wrong names with those they resemble, or ''."""
    few = [v for v in wrong[:MOST_NAMES] if isinstance(v, str) and len(v) <= NAME_CHARACTERS]
    return typing_slips(few, right) if len(right) <= MOST_CANDIDATES else ""


def _joined(names: Sequence[object]) -> str:
    return ", ".join(shown(name, NAME_CHARACTERS) for name in names[:MOST_NAMES])


def _more(found: Sequence[object]) -> str:
    left_out = len(found) - MOST_NAMES
    return f" and {left_out:,} more" if left_out > 0 else ""
