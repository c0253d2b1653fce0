"""New rows for learners and pipelines that cannot take weights."""

from dataclasses import replace

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from causalaug._augmented_table import no_new_rows
from causalaug._random import as_generator, new_seed
from causalaug._validation import check_integer, check_share
from causalaug.conditionals import ResidualConditional
from causalaug.estimators._candidates import numbered_as_observed
from causalaug.estimators._holes import GivenRows, complete_labelled
from causalaug.estimators._input import is_frame, read_rows, warn_of_no_graph
from causalaug.estimators._names import name_of_target, named
from causalaug.estimators._observed_rows import observe
from causalaug.exceptions import ParameterError
from causalaug.expansion import SampledExpansion
from causalaug.graphs import as_graph
from causalaug.model import check_strategies


class CausalAugmenter(BaseEstimator):
    """Add new rows that the causal graph makes plausible, all of equal weight.

    For learners that take no weights, and for the pipelines of imbalanced-learn. With a
    learner that does take weights, `AugmentedRegressor` and `AugmentedClassifier` need fewer
    rows for the same effect and choose the share themselves.

    Parameters
    ----------
    graph : ADMG, text such as ``"A -> B"``, or anything that `read_graph` reads, optional
        The causal graph of the features and the target. Without one the rows stay as they
        are.
    target : str, optional
        The target's node in the graph; by default the name of `y`, or the only node that is
        no feature.
    conditional : Conditional, optional
        How one factor is modelled; by default ``ResidualConditional()``.
    augmented_share : float, default=0.5
        How many of the rows that come back are new.
    rows : int, optional
        How many rows come back. By default every observed row once, and as many new rows as
        the share asks for. With more rows than that the observed ones are repeated; do not
        split such rows into folds afterwards.
    extra : {"ignore", "error"}, default="ignore"
        What becomes of features that are no node: new rows have none, so that only a learner
        that gets no new rows sees them, with a warning that names them; or they are an error.
    feature_names : sequence of str, optional
        The names of the columns, where `X` is an array. A frame has its own.
    kinds : mapping of str to {"continuous", "ordered", "nominal"}, optional
        Kinds of columns that differ from the default, as in `augment`.
    limits : mapping of str to (float or None, float or None), optional
        The least and the largest value that a continuous column may hold, as in `augment`.
    random_state : int, RandomState, Generator or None, optional
        One seed gives one result.

    Examples
    --------
    Symptoms of the sick are combined anew, and never with those of the well:

    >>> import pandas as pd
    >>> from causalaug import CausalAugmenter, KernelConditional, read_graph
    >>> X = pd.DataFrame({"fever": [39.1, 40.2, 36.8], "cough": [7.0, 9.0, 1.0]})
    >>> y = pd.Series(["sick", "sick", "well"], name="state")
    >>> graph, copies = read_graph("fever <- state -> cough"), KernelConditional()
    >>> augmenter = CausalAugmenter(graph=graph, conditional=copies, random_state=52)
    >>> X_more, y_more = augmenter.fit_resample(X, y)
    >>> X_more.assign(state=y_more)
       fever  cough state
    0   39.1    7.0  sick
    1   40.2    9.0  sick
    2   36.8    1.0  well
    3   39.1    9.0  sick
    4   40.2    7.0  sick
    5   36.8    1.0  well
    """

    trust = "full"
    keep_holes = False
    _kind_of_target = None
    _uses_extra = True

    def __init__(
        self,
        *,
        graph=None,
        target=None,
        conditional=None,
        augmented_share=0.5,
        rows=None,
        extra="ignore",
        feature_names=None,
        kinds=None,
        limits=None,
        random_state=None,
    ):
        self.graph = graph
        self.target = target
        self.conditional = conditional
        self.augmented_share = augmented_share
        self.rows = rows
        self.extra = extra
        self.feature_names = feature_names
        self.kinds = kinds
        self.limits = limits
        self.random_state = random_state

    def fit(self, X, y):
        """Check the rows and the graph; there is nothing to learn.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array of shape (n, d)
            The features.
        y : series or array of shape (n,)
            The target.

        Returns
        -------
        self
            The augmenter.
        """
        self._observe(X, y)
        return self

    def fit_resample(self, X, y):
        """Return observed and new rows together.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array of shape (n, d)
            The features. With a graph, the columns of an array are named by `feature_names`.
        y : series or array of shape (n,)
            The target.

        Returns
        -------
        X_resampled : frame or array
            Features, in the library and the dtypes of `X`; observed rows come first. Columns
            outside the graph are left out: new rows have none. Missing cells are drawn once,
            given the others; rows without a target are not among them.
        y_resampled : series or array
            Their target.
        """
        observed = self._observe(X, y)
        if observed is None:
            return X, y
        rng = as_generator(self.random_state)
        n_new, own = self._divide(len(observed.labels), rng)
        augmented = self._draw(observed, max(n_new, 1), rng)
        features, target = observed.split(augmented.at(slice(n_new)).stacked_on(own))
        return features, _like(y, target)

    def _observe(self, X, y):
        """Return the rows, checked against the graph; None if there is no graph."""
        self._check_parameters()
        named_y = y
        X, y, weights = read_rows(self, X, y, holes=self.graph is not None)
        if self.graph is None:
            warn_of_no_graph()
            return None
        graph, frame = as_graph(self.graph), named(self, X)
        name, as_array = name_of_target(self, named_y, frame, graph), not is_frame(X)
        return observe(self, frame, y, weights, graph, name=name, as_array=as_array, stacklevel=5)

    def _check_target(self, target):
        return target

    def _draw(self, observed, n_new, rng):
        """Return at least so many new rows; draws that end early are made up for."""
        conditional = ResidualConditional() if self.conditional is None else self.conditional
        originals, seed = None, 0
        if observed.table.missing is not None:
            seed = new_seed(rng)
            rows = observed.labelled()
            if rows.table.missing is not None:
                # Observed rows come back in their own order, copies and all.
                rows, _ = complete_labelled(observed, rows, conditional, seed, copies=1)
            originals = GivenRows(rows.table.source, rows.sample_weight)
        model = observed.fit(conditional, seed)
        # Where some draws end early, more are made, until there is no point in more.
        for times in (1, 8, 64):
            augmented = model.make_rows(SampledExpansion(times * n_new), rng)
            if len(augmented) >= n_new:
                augmented, _ = numbered_as_observed(augmented, observed)
                return replace(augmented, originals=originals)
        raise no_new_rows()

    def _check_parameters(self):
        conditional = ResidualConditional() if self.conditional is None else self.conditional
        check_strategies(conditional, SampledExpansion())
        check_share("augmented_share", self.augmented_share)
        if self.rows is not None:
            check_integer("rows", self.rows, at_least=1)
        elif self.augmented_share == 1.0:
            raise ParameterError(
                "With augmented_share=1 no observed row comes back, so `rows` must say how many "
                "new ones are wanted. Found rows=None."
            )

    def _divide(self, n_rows, rng):
        """Return the number of new rows, and which observed rows come back, in their order."""
        share = float(self.augmented_share)
        if self.rows is None:
            return round(n_rows * share / (1.0 - share)), np.arange(n_rows)
        n_new = round(self.rows * share)
        times, left = divmod(self.rows - n_new, n_rows)
        extra = rng.choice(n_rows, left, replace=False)
        return n_new, np.sort(np.concatenate([np.tile(np.arange(n_rows), times), extra]))


def _like(y, target):
    """Return the target as a series of the library that `y` came in, or as an array."""
    if isinstance(y, pd.Series):
        series = pd.Series(target, name=y.name)
        if isinstance(y.dtype, pd.DatetimeTZDtype) and series.dtype.kind == "M":
            # Arrays have no time zones; what is in them is Greenwich time.
            series = series.dt.tz_localize("UTC")
        return series.astype(y.dtype)
    opened = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(opened, nw.Series):
        return target
    namespace = nw.get_native_namespace(opened)
    # Of an array of objects, such as decimals, polars would not look at the cells.
    cells = target.tolist() if target.dtype.kind == "O" else target
    made = nw.new_series(opened.name, cells, native_namespace=namespace)
    return made.cast(opened.dtype).to_native()
