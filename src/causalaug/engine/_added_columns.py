"""Which columns the files of a data set have, beside those of the observed rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from causalaug.exceptions import ParameterError


@dataclass(frozen=True)
class AddedColumns:
    """The names of the columns that are added.

    Parameters
    ----------
    weight : str
        The column of weights.
    provenance : str or None
        What is put before the name of a column for the one that says which observed row each
        cell came from; None leaves them out.

    Examples
    --------
    >>> AddedColumns("weight", "row_of_").added(["x", "y"])
    ('weight', 'row_of_x', 'row_of_y')
    """

    weight: str
    provenance: str | None

    def added(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the columns that are added."""
        if self.provenance is None:
            return (self.weight,)
        return (self.weight, *(f"{self.provenance}{column}" for column in columns))

    def check(self, columns: Sequence[str]) -> None:
        """Raise unless all names are new."""
        for name, value in (("weight", self.weight), ("provenance", self.provenance)):
            if not isinstance(value, str) and not (name == "provenance" and value is None):
                raise ParameterError(f"`{name}` must be a string. Found {value!r}.")
        added = self.added(columns)
        taken = sorted({name for name in added if name in columns or added.count(name) > 1})
        if taken:
            raise ParameterError(
                f"The columns that are added must have names of their own. Found {taken} twice. "
                f"Choose other names: weight={self.weight!r} and provenance={self.provenance!r}, "
                "which is put before the name of each column, are what was asked for."
            )
