"""What a string is: the path of a file, or a graph in one of the text formats."""

import json
import re
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING

from causalaug.exceptions import GraphFormatError
from causalaug.graphs._shorten import shown

if TYPE_CHECKING:
    from os import PathLike

ARROWS, DAGITTY, DOT, GML, TETRAD = "arrows", "dagitty", "dot", "gml", "tetrad"
KNOWLEDGE = "tetrad-knowledge"

_SUFFIXES = {".dot": DOT, ".gv": DOT, ".gml": GML, ".dagitty": DAGITTY}
_COMMENTS = re.compile(r"\A(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)*+", re.DOTALL)
_WORD = r'(?:\s+\w+|\s*"[^"]*")?\s*'
_HEADINGS = {
    DOT: re.compile(rf"(?:strict\s+)?(?:di)?graph\b{_WORD}\{{", re.IGNORECASE),
    DAGITTY: re.compile(rf"(?:dag|mag|pdag|pag)\b{_WORD}\{{", re.IGNORECASE),
    GML: re.compile(r'(?:[A-Za-z]\w*\s+(?:"[^"]*"|[^"\s]\S*)\s+)*graph\s*\[', re.IGNORECASE),
    TETRAD: re.compile(r"graph[ \t]+(?:nodes|edges)[ \t]*:", re.IGNORECASE),
    KNOWLEDGE: re.compile(r"/knowledge\b", re.IGNORECASE),
}
_TEXT_SIGNS = re.compile(r"""[;,{["'→←↔<]|->|--""")
_PATH_SIGNS = re.compile(r"[./\\]")


def has_signs(text: str) -> bool:
    """Return whether a text has signs of a graph, and is no name or path."""
    return _TEXT_SIGNS.search(text) is not None


def is_path(source: "str | PathLike[str]") -> bool:
    """Return whether the source names a file: one that exists, or that looks like a path."""
    if not isinstance(source, str):
        return True
    if "\n" in source:
        return False
    looks_like_one = _PATH_SIGNS.search(source) and not _TEXT_SIGNS.search(source)
    return bool(looks_like_one) or isfile(source)


def read_text(path: "str | PathLike[str]") -> str:
    """Return the content of a file, or raise an error that says why it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphFormatError(
            f"A graph file must be UTF-8 text. Found byte {error.object[error.start]:#04x} "
            f"at place {error.start} of {shown(str(path))}. Save it as UTF-8."
        ) from error
    except (OSError, TypeError, ValueError) as error:
        # No path holds a NUL, half of a surrogate pair, or bytes where text is meant.
        reason = getattr(error, "strerror", None) or "this cannot be a path"
        raise GraphFormatError(
            f"A graph file must exist and be readable. Found {shown(str(path))}: "
            f"{reason}. Correct the path; a graph in arrow text has an arrow, such "
            "as 'A -> B', or a line break."
        ) from error


def text_format(text: str, path: object = None) -> str:
    """Return the format of a text by its heading, else by the ending of its file."""
    place = "" if path is None else f" in {shown(str(path))}"
    if not text.strip():
        raise GraphFormatError(f"A graph must not be empty. Found no text{place}. Write 'A -> B'.")
    if _is_json(text):
        raise GraphFormatError(
            f"A graph must not be JSON text, which can mean many things. Found {shown(text, 40)}"
            f"{place}. Load it: read_graph(json.loads(text)) if it maps each node to its "
            "parents, read_graph(networkx.node_link_graph(json.loads(text))) if it has nodes "
            "and links."
        )
    body = _COMMENTS.sub("", text)
    for name, heading in _HEADINGS.items():
        if heading.match(body):
            return name
    return _SUFFIXES.get(Path(str(path)).suffix.lower(), ARROWS)


def _is_json(text: str) -> bool:
    """Return whether the text is an object or a list of JSON; ``{A, B} -> C`` is none."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        # As floats, since Python refuses to convert integers of 5,000 digits.
        json.loads(text, parse_int=float)
    except (ValueError, RecursionError):
        return False
    return True
