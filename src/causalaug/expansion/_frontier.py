"""Paths grown level by level, for the expansions that keep a bounded number of them."""

from dataclasses import dataclass, field

import numpy as np

from causalaug._segments import Groups
from causalaug.expansion._paths import Paths
from causalaug.expansion._tree import Level, ProbabilityTree
from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Children:
    """One step on: the path each child continues, its choice, and its log-weight."""

    parent: IntArray
    choice: IntArray
    log_weights: FloatArray

    def at(self, positions: IntArray) -> "Children":
        """Return the children at some positions."""
        return Children(self.parent[positions], self.choice[positions], self.log_weights[positions])


@dataclass(eq=False)
class Frontier:
    """The paths so far. Only what later pillows need is carried along; the rest is history."""

    tree: ProbabilityTree
    log_weights: FloatArray = field(default_factory=lambda: np.zeros(1))
    codes: dict[int, IntArray] = field(default_factory=dict)
    _history: list[tuple[int, IntArray, IntArray]] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.log_weights)

    def group_pillows(self, level: Level) -> tuple[Groups, FloatArray]:
        """Return the paths grouped by pillow tuple, and the distinct tuples' values."""
        return self.tree.group_pillows(level, self.codes, len(self))

    def grow(self, level: Level, children: Children) -> None:
        """Replace the paths by their children."""
        variable = self.tree.variables[level.column]
        codes = {c: self.codes[c][children.parent] for c in level.live if c != level.column}
        if level.is_live:
            codes[level.column] = variable.code_of_choice[children.choice]
        rows = variable.row_of_choice[children.choice]
        self._history.append((level.column, rows, children.parent.astype(np.int32)))
        self.codes, self.log_weights = codes, children.log_weights

    def paths(self) -> Paths:
        """Trace each path back to the root."""
        stacked = np.empty((len(self._history), len(self)), dtype=np.int32)
        position: IntArray = np.arange(len(self))
        for column, rows, parent in reversed(self._history):
            np.take(rows, position, out=stacked[column], mode="clip")
            position = parent[position]
        return Paths(stacked.T, self.log_weights)
