"""Groups of options: typer reads them one by one, a command takes them as one value.

Typer asks the signature of a command for its options, one parameter for each. How a text table is
read takes four, and six commands read tables. So a group of options is a frozen dataclass whose
fields are annotated as the parameters would be, and a command has one parameter for the group:

>>> from dataclasses import dataclass
>>> from inspect import signature
>>> from causalaug.cli._options import Decimal, Encoding
>>> @dataclass(frozen=True)
... class Text:
...     encoding: Encoding = "utf-8"
...     decimal: Decimal = None
>>> @with_groups
... def show(path: str, *, text: Text) -> None:
...     print(path, text)

What typer sees, and calls, has the fields in the place of the group:

>>> list(signature(show).parameters)
['path', 'encoding', 'decimal']
>>> show(path="rows.csv", encoding="utf-8", decimal=",")
rows.csv Text(encoding='utf-8', decimal=',')
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of its groups as parameters of their own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(command)
    def run(**options: Any) -> None:
        for name, group in groups.items():
            own = {field.name: options.pop(field.name) for field in fields(group)}
            options[name] = group(**own)
        command(**options)

    flat = list(_flat_parameters(command, hints))
    run.__signature__ = Signature(flat)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in flat} | {"return": None}
    return run


def _flat_parameters(command: Callable[..., None], hints: dict[str, Any]) -> Iterator[Parameter]:
    """Yield the parameters of a command in order, the fields of a group in its place."""
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        if not is_dataclass(hint):
            yield _by_keyword(parameter.name, hint, parameter.default)
            continue
        own = get_type_hints(hint, include_extras=True)
        for field in fields(hint):
            default = Parameter.empty if field.default is MISSING else field.default
            yield _by_keyword(field.name, own[field.name], default)


def _by_keyword(name: str, hint: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)
