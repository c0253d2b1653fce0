"""Which rows a factor can use where cells are missing, and the fit of each factor to its own.

A row serves every factor whose target and pillow it has. That keeps far more than the rows without
any hole: with a fifth of the cells missing and twelve columns, 4 rows of 60 are complete, but 38
have a target and both of its causes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from causalaug.conditionals import Conditional, ConditionalByFactor, FittedConditional
from causalaug.exceptions import TableError
from causalaug.factorization import Factor
from causalaug.table import Table
from causalaug.typing import IntArray


def fit_factors(
    conditional: Conditional, table: Table, factors: Sequence[Factor]
) -> tuple[FittedConditional, ...]:
    """Return one fitted conditional per factor, each fitted to the rows that it can use."""
    rows = [usable_rows(table, factor) for factor in factors]
    # Factors that can use the same rows share a table, and what is computed of it.
    parts: dict[bytes, Table] = {}
    for each in rows:
        if each is not None and each.tobytes() not in parts:
            parts[each.tobytes()] = table.with_values_of(each)
    tables = [table if each is None else parts[each.tobytes()] for each in rows]
    fitted = _fit_each(conditional, tables, factors)
    return tuple(replace(fit, rows=each) for fit, each in zip(fitted, rows, strict=True))


def usable_rows(table: Table, factor: Factor) -> IntArray | None:
    """Return the rows that have all cells of a factor; None if all have; or raise.

    >>> import pandas as pd
    >>> from causalaug.factorization import Factor
    >>> frame = pd.DataFrame({"x": [1.0, None, 3.0], "y": [4.0, 5.0, 6.0]})
    >>> usable_rows(Table.from_frame(frame, holes=True), Factor("y", ("x",)))
    array([0, 2])
    """
    if table.missing is None:
        return None
    columns = [table.index(name) for name in (factor.target, *factor.pillow)]
    lacks = table.missing[:, columns].any(axis=1)
    if not lacks.any():
        return None
    if lacks.all():
        raise TableError(
            "Every variable must be observed together with its pillow in at least one row. Found "
            f"no row of {table.n_rows} that has {factor.target!r} and {list(factor.pillow)}. "
            "Add rows that have these cells, or project a variable out with "
            "`latent_projection(graph, keep=...)`."
        )
    rows: IntArray = np.flatnonzero(~lacks)
    return rows


def _fit_each(
    conditional: Conditional, tables: Sequence[Table], factors: Sequence[Factor]
) -> list[FittedConditional]:
    """Return the fits; a conditional that takes one table only is asked once for each."""
    if isinstance(conditional, ConditionalByFactor):
        return list(conditional.fit_each(tables, factors))
    fitted: dict[int, FittedConditional] = {}
    for table in dict.fromkeys(map(id, tables)):
        numbers = [number for number, each in enumerate(tables) if id(each) == table]
        found = conditional.fit(tables[numbers[0]], [factors[number] for number in numbers])
        fitted |= dict(zip(numbers, found, strict=True))
    return [fitted[number] for number in range(len(factors))]
