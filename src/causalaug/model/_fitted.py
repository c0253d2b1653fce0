"""The factors of a graph, fitted to a table, and what they say about rows.

How likely a row is, what one of its cells is given the others, and what its missing cells may be:
three questions to the densities of the factors. Fitting them and growing new rows from them are
next door, in `_model`, which is all that `augment` passes through.
"""

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from causalaug._markup import Markup, element, html_table, join, steady_repr
from causalaug._random import RandomState, as_generator, new_seed
from causalaug._validation import check_bool, check_integer
from causalaug.conditionals import Belief, Conditional, FittedConditional, Wish
from causalaug.densities import Density, mix_draws
from causalaug.exceptions import TableError
from causalaug.factorization import Factor, factorize
from causalaug.graphs import ADMG
from causalaug.model._completion import (
    Completer,
    Completion,
    complete_frame,
    own_numbers,
    shared_numbers,
)
from causalaug.model._factor import FittedFactor
from causalaug.model._prediction import Prediction
from causalaug.model._target import SEED, Target
from causalaug.table import Table, check_no_times, code_rows
from causalaug.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class FittedFactors:
    """The fitted factors of a graph; `GraphModel` says what the parameters are."""

    graph: ADMG
    table: Table = field(repr=False)
    product: tuple[Factor, ...]
    conditional: Conditional
    fitted: tuple[FittedConditional, ...] = field(repr=False)
    earlier: tuple["FittedFactors", ...] = field(default=(), repr=False)
    belief: Belief = field(default="full", repr=False)
    wishes: tuple[Wish | None, ...] = field(default=(), repr=False)
    _targets: dict[str, Target] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        """Return the factors and how they are modelled, not the rows."""
        factors = " ".join(map(str, self.factors))
        how = steady_repr(self.conditional)
        return f"{type(self).__name__}({self.table.n_rows:,} rows; {factors}; {how})"

    def _repr_html_(self) -> str:
        """Return the graph and its factors, for notebooks."""
        kinds = dict(zip(self.table.columns, self.table.kinds, strict=True))
        rows = [[str(factor), kinds[factor.target]] for factor in self.factors]
        table = html_table(["factor", "kind of the variable"], rows)
        words = f"Fitted to {self.table.n_rows:,} rows by {steady_repr(self.conditional)}."
        drawn = Markup(self.graph._repr_svg_() or "")
        return str(join([drawn, element("p", words), table]))

    @property
    def factors(self) -> tuple[FittedFactor, ...]:
        """The fitted factors in order, each with its four verbs."""
        return tuple(
            FittedFactor(
                each.target, each.pillow, self.table, fitted, partial(self._density, number)
            )
            for number, (each, fitted) in enumerate(zip(self.product, self.fitted, strict=True))
        )

    def _density(self, number: int) -> Density:
        return self.densities[number]

    @property
    def order(self) -> tuple[str, ...]:
        """The topological order of the variables that the factors follow."""
        return tuple(factor.target for factor in self.product)

    @cached_property
    def densities(self) -> tuple[Density, ...]:
        """One density per factor; made of weighted rows where the conditional has none."""
        own = tuple(
            fitted.density(self.table, factor)
            for fitted, factor in zip(self.fitted, self.product, strict=True)
        )
        if not self.earlier:
            return own
        # A factor that every row has all cells of was fitted once, and has nothing to average.
        several = zip(*(model.densities for model in self.earlier), own, strict=True)
        return tuple(
            last
            if all(model.fitted[number] is fit for model in self.earlier)
            else mix_draws(each, len(factor.pillow))
            for number, (factor, fit, last, each) in enumerate(
                zip(self.product, self.fitted, own, several, strict=True)
            )
        )

    @property
    def trust(self) -> pd.DataFrame:
        """How far each factor of the graph is believed, and what the data want beside it.

        One row per variable: its pillow in the graph, the weight of the graph's own factor, the
        variables that the data also want, and by how much these make left-out rows likelier in
        all, as a logarithm. A factor that the data want nothing beside has a trust of 1.

        Examples
        --------
        The graph lacks an edge, and one factor shows it:

        >>> import numpy as np
        >>> import pandas as pd
        >>> from causalaug import fit_model
        >>> rng = np.random.default_rng(0)
        >>> load, wear = rng.normal(size=(2, 60))
        >>> heat = wear + load + 0.5 * rng.normal(size=60)
        >>> frame = pd.DataFrame({"load": load, "wear": wear, "heat": heat})
        >>> model = fit_model(frame, "load; wear -> heat", "auto", trust="auto")
        >>> model.trust.round(2)
          variable pillow  trust wanted   gain
        0     load          1.00          0.00
        1     wear          1.00          0.00
        2     heat   wear   0.05   load  41.83
        """
        wishes = self.wishes or (None,) * len(self.product)
        own = factorize(self.graph, self.order)
        return pd.DataFrame(
            {
                "variable": [factor.target for factor in own],
                "pillow": [", ".join(factor.pillow) for factor in own],
                "trust": [_trust_of(each, w) for each, w in zip(self.fitted, wishes, strict=True)],
                "wanted": [", ".join(wish.wanted) if wish else "" for wish in wishes],
                "gain": [wish.gain if wish else 0.0 for wish in wishes],
            }
        )

    def log_density(self, frame: Any) -> pd.DataFrame:
        """Return how likely each row is, factor by factor, in logarithms.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
            Rows with the columns of the fitted table; cells may be missing.

        Returns
        -------
        pandas.DataFrame
            One column per factor, named by its target; the sum of a row is its
            log-likelihood. Of a discrete variable it is the logarithm of a probability. A
            missing cell gives NaN in every factor that it touches. A level that the fitted
            table does not hold has no probability: ``-inf`` in its own factor; given
            it nothing is known, and the factors whose pillow holds it are NaN.

        Examples
        --------
        Whole numbers that are few are ordered: a day without sun says a little about one with.

        >>> import pandas as pd
        >>> from causalaug import fit_model
        >>> days = pd.DataFrame({"sun": [1, 1, 0, 0], "ice": [9.0, 7.0, 2.0, 4.0]})
        >>> model = fit_model(days, "sun -> ice")
        >>> model.log_density(pd.DataFrame({"sun": [1, None], "ice": [8.0, 8.0]})).round(1)
           sun  ice
        0 -0.7 -2.1
        1  NaN  NaN
        """
        values = self._coded(frame)
        result = {}
        for factor, density in zip(self.product, self.densities, strict=True):
            own = values[:, self.table.index(factor.target)]
            pillow = values[:, [self.table.index(name) for name in factor.pillow]]
            log_density = np.full(len(values), np.nan)
            known = ~np.isnan(own) & np.isfinite(pillow).all(axis=1)
            if known.any():
                log_density[known] = _log_density(density, own[known], pillow[known])
            result[factor.target] = log_density
        return pd.DataFrame(result)

    def score(self, frame: Any) -> float:
        """Return the mean log-likelihood of the rows without holes; higher is better.

        On rows that were not fitted it tells which of two graphs, or of two conditionals,
        explains the data better.
        """
        rows = self.log_density(frame).sum(axis=1, skipna=False).to_numpy()
        complete = rows[~np.isnan(rows)]
        if not len(complete):
            raise TableError(
                "To be scored, at least one row must have all its cells, and no pillow may hold "
                f"a level that the fitted table lacks. Found none among {len(rows)} rows."
            )
        return float(complete.mean())

    def predict(self, target: str, frame: Any) -> Prediction:
        """Return the distribution of one variable in each row, given its other cells.

        Parameters
        ----------
        target : str
            Any variable of the graph. A column of that name in `frame` is ignored.
        frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
            The other variables, as in the fitted table; an array may have all columns, or all
            but the target's. Missing cells are integrated out, and so are columns that are not
            there and levels that the fitted table lacks.

        Returns
        -------
        Prediction
            Its mean, quantiles, probabilities and samples.

        Examples
        --------
        An effect that only one of two causes explains is evidence for that cause:

        >>> import pandas as pd
        >>> from causalaug import fit_model
        >>> lawn = pd.DataFrame(
        ...     {
        ...         "rain": [True, True, False, False] * 5,
        ...         "hose": [True, False, True, False] * 5,
        ...         "wet": [True, True, True, False] * 5,
        ...     }
        ... )
        >>> model = fit_model(lawn, "rain -> wet; hose -> wet")
        >>> seen = pd.DataFrame({"wet": [True, True], "hose": [True, False]})
        >>> model.predict("rain", seen).probabilities[:, 1].round(1)
        array([0.5, 0.9])
        """
        check_no_times(self.table, target)
        values = self._coded(frame, without=target)
        return self.target(target).predict(np.where(np.isinf(values), np.nan, values))

    def target(self, name: str) -> Target:
        """Return one variable as the target; what is worked out for it is kept."""
        if name not in self._targets:
            self._targets[name] = Target(self.table, self.product, self.densities, name)
        return self._targets[name]

    def complete(
        self,
        frame: Any,
        copies: int | None = 1,
        random_state: RandomState = None,
        *,
        sample_weight: FloatArray | None = None,
        alike: bool = False,
    ) -> Completion:
        """Draw each missing cell given the observed ones of its row.

        Parameters
        ----------
        frame : pandas or polars DataFrame, pyarrow Table, or array of shape (n, D)
            Rows with columns of the fitted table: those that were fitted, or others. Columns
            that are not there are not added, and a level that the fitted table lacks stays; both
            are integrated out.
        copies : int or None, default=1
            How many completions of a row with holes are drawn. None lists all, with their
            probabilities; the missing cells must have levels then.
        random_state : int, Generator, RandomState, SeedSequence or None, optional
            The seed of the draws.
        sample_weight : array of shape (n,), optional
            The weight of each row, which its copies share; 1 by default.
        alike : bool, default=False
            Whether all rows are given the same random numbers. Then equal rows have equal copies,
            and what a row gets does not depend on the others, as predictions must not.

        Returns
        -------
        Completion
            The copies as a frame like the input, their weights, and the row of each.

        Examples
        --------
        >>> import pandas as pd
        >>> from causalaug import fit_model
        >>> lawn = pd.DataFrame({"rain": ["yes", "no"] * 5, "wet": ["yes", "no"] * 5})
        >>> model = fit_model(lawn, "rain -> wet")
        >>> seen = pd.DataFrame({"rain": ["no", None], "wet": ["no", "yes"]})
        >>> found = model.complete(seen, copies=None)
        >>> found.frame.assign(weight=found.weights.round(2), row=found.rows)
          rain  wet  weight  row
        0   no   no    1.00    0
        1   no  yes    0.08    1
        1  yes  yes    0.92    1
        """
        if copies is not None:
            check_integer("copies", copies, at_least=1)
        completer = Completer(self.table, self.product, self.densities)
        check_bool("alike", alike)
        rng = as_generator(random_state)
        numbers = partial(shared_numbers, new_seed(rng)) if alike else partial(own_numbers, rng)
        return complete_frame(completer, frame, self.graph.nodes, copies, numbers, sample_weight)

    def _coded(self, frame: Any, without: str | None = None) -> FloatArray:
        """Return new rows in the coding of the table; an array may lack the target."""
        names = list(self.graph.nodes)
        if without is not None and getattr(frame, "shape", (0, 0))[1:] == (len(names) - 1,):
            names.remove(without)
        return code_rows(self.table, frame, names)


def _trust_of(fit: FittedConditional, wish: Wish | None) -> float:
    """Return the weight of the graph's own factor."""
    if wish is None:
        return 1.0
    return fit.parts[0].weight if fit.parts else 0.0


@dataclass(frozen=True, eq=False)
class CompletedRows:
    """The observed rows of a model, their holes drawn once, and their weights."""

    model: FittedFactors

    def __call__(self) -> tuple[Any, FloatArray]:
        """Return a frame without holes, and the weights of its rows."""
        table = self.model.table
        return self.model.complete(table.source, 1, SEED).frame, table.original_weights()


def _log_density(density: Density, values: FloatArray, pillow: FloatArray) -> FloatArray:
    """Return log-densities; a level that was never seen has none."""
    seen = np.isfinite(values)
    result = np.full(len(values), -np.inf)
    result[seen] = density.log_density(values[seen], pillow[seen])
    return result
