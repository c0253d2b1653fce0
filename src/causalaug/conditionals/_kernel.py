"""The conditional of the paper: weigh rows by a product kernel on the pillow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causalaug._validation import (
    check_at_least,
    check_choice,
    check_columns_exist,
    is_positive,
)
from causalaug.conditionals._base import FittedConditional
from causalaug.conditionals._density import DEFAULT_SMOOTHING, RowDensities
from causalaug.conditionals._row_weights import weigh_rows
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.kernels import (
    BANDWIDTH_RULES,
    CONTINUOUS_KERNELS,
    DISCRETE_KERNELS,
    ColumnKernel,
    aitchison_aitken_smoothing,
)
from causalaug.table import Table

Bandwidth = str | float | None


@dataclass(frozen=True)
class KernelConditional:
    """Weigh each observed row by how close its pillow is to the new one.

    Row `i` gets ``K_j(z_mp - Z_i,mp) / sum_k K_j(z_mp - Z_k,mp)``, where ``K_j`` is the
    product of one kernel per column of the pillow; an empty pillow gives ``1 / n``.

    Parameters
    ----------
    kernel : str or dict, default="gaussian"
        Kernel of the continuous columns: ``"gaussian"``, ``"epanechnikov"``,
        ``"biweight"``, ``"triweight"`` or ``"tricube"``. A dict names the kernel of single
        columns, of either kind; the others keep their default.
    discrete_kernel : str, default="identity"
        Kernel of the discrete columns: ``"identity"`` (exact match) or
        ``"aitchison_aitken"`` (a small weight on all other values).
    bandwidth : str, float or dict, default="silverman"
        ``"silverman"`` or ``"scott"`` choose the bandwidth of each continuous column from
        the data. A number is the bandwidth of every continuous column, as it is. A dict
        names the rule or the number of single columns; the others keep ``"silverman"``.
        For ``"aitchison_aitken"`` a number in the dict is the weight that leaves the
        observed value.
    temperature : float, default=0.3
        Factor on what a rule chooses: ``h = temperature * rule``. Numbers given as
        `bandwidth` are not scaled. Towards 0 only the nearest rows are left, towards
        infinity the pillow is ignored.
    level_smoothing : float, default=1.0
        How the density of a discrete variable is smoothed: so many rows' worth of its overall
        frequencies are added to the weighted rows. 0 switches it off. Which rows lend their
        value does not depend on it.

    Examples
    --------
    >>> KernelConditional(bandwidth={"age": 2.0}, temperature=0.5)
    KernelConditional(kernel='gaussian', discrete_kernel='identity', bandwidth={'age': 2.0}, \
temperature=0.5, level_smoothing=1.0)

    A wrong name is refused at once, with the names that exist:

    >>> KernelConditional(kernel="gausian")
    Traceback (most recent call last):
    ...
    causalaug.exceptions.ParameterError: `kernel` must be one of ['aitchison_aitken', 'biweight', \
'epanechnikov', 'gaussian', 'identity', 'tricube', 'triweight']. Found 'gausian'.
    """

    kernel: str | Mapping[str, str] = "gaussian"
    discrete_kernel: str = "identity"
    bandwidth: Bandwidth | Mapping[str, Bandwidth] = "silverman"
    temperature: float = 0.3
    level_smoothing: float = DEFAULT_SMOOTHING

    def __post_init__(self) -> None:
        """Refuse names that do not exist and numbers that are not positive."""
        for name in ("kernel", "bandwidth"):
            if isinstance(getattr(self, name), Mapping):
                object.__setattr__(self, name, dict(getattr(self, name)))
        every_kernel = (*CONTINUOUS_KERNELS, *DISCRETE_KERNELS)
        for kernel in _values(self.kernel):
            check_choice("kernel", kernel, every_kernel)
        check_choice("discrete_kernel", self.discrete_kernel, DISCRETE_KERNELS)
        for bandwidth in _values(self.bandwidth):
            _check_bandwidth(bandwidth)
        if not is_positive(self.temperature):
            raise ParameterError(
                f"`temperature` must be a positive number. Found {self.temperature!r}. "
                "For exact matching use kernel='identity'."
            )
        check_at_least("level_smoothing", self.level_smoothing, 0.0)

    def fit(self, table: Table, factors: Sequence[Factor]) -> tuple[FittedConditional, ...]:
        """Return the product kernel of each factor; equal pillows share one."""
        kernels = dict(zip(table.columns, self.column_kernels(table), strict=True))
        fitted: dict[tuple[str, ...], FittedConditional] = {}
        for factor in factors:
            if factor.pillow not in fitted:
                columns = [table.index(name) for name in factor.pillow]
                weigher = weigh_rows(
                    table.values[:, columns],
                    [kernels[name] for name in factor.pillow],
                    table.row_weights,
                )
                density = RowDensities(weigher, level_smoothing=self.level_smoothing)
                fitted[factor.pillow] = FittedConditional(weigher, density=density)
        return tuple(fitted[factor.pillow] for factor in factors)

    def column_kernels(self, table: Table) -> tuple[ColumnKernel, ...]:
        """Return the kernel and the bandwidth of each column, as used within a pillow."""
        for name, per_column in (("kernel", self.kernel), ("bandwidth", self.bandwidth)):
            if isinstance(per_column, Mapping):
                check_columns_exist(name, per_column, table.columns)
        return tuple(self._column_kernel(table, column) for column in range(table.n_columns))

    def _column_kernel(self, table: Table, column: int) -> ColumnKernel:
        name, values = table.columns[column], table.values[:, column]
        kernel = self._kernel_of(name, continuous=table.kinds[column] == "continuous")
        bandwidth = self._bandwidth_of(name)
        if kernel == "identity":
            return ColumnKernel(kernel)
        if kernel == "aitchison_aitken":
            return ColumnKernel(kernel, self._smoothing(name, values, bandwidth))
        if not table.numeric[column]:
            raise ParameterError(
                f"Kernel {kernel!r} measures distances, but column {name!r} holds values "
                f"without a scale. Use one of {sorted(DISCRETE_KERNELS)} for it."
            )
        if isinstance(bandwidth, str):
            rule = BANDWIDTH_RULES[bandwidth](values)
            return ColumnKernel(kernel, self.temperature * rule)
        return ColumnKernel(kernel, float(bandwidth))

    def _kernel_of(self, name: str, *, continuous: bool) -> str:
        if isinstance(self.kernel, Mapping):
            default = "gaussian" if continuous else self.discrete_kernel
            return self.kernel.get(name, default)
        return self.kernel if continuous else self.discrete_kernel

    def _bandwidth_of(self, name: str) -> str | float:
        if isinstance(self.bandwidth, Mapping):
            bandwidth = self.bandwidth.get(name)
        else:
            bandwidth = self.bandwidth
        return "silverman" if bandwidth is None else bandwidth

    def _smoothing(self, name: str, values: np.ndarray, bandwidth: str | float) -> float:
        n_values = len(np.unique(values))
        largest = (n_values - 1) / n_values
        if isinstance(bandwidth, str) or not isinstance(self.bandwidth, Mapping):
            rule = aitchison_aitken_smoothing(len(values), n_values)
            return min(self.temperature * rule, largest)
        if bandwidth > largest:
            raise ParameterError(
                f"The bandwidth of {name!r} is the weight that leaves the observed value: with "
                f"{n_values} values it must be at most {largest:.4g}. Found {bandwidth!r}."
            )
        return float(bandwidth)


def _values(parameter: object) -> list[object]:
    return list(parameter.values()) if isinstance(parameter, Mapping) else [parameter]


def _check_bandwidth(bandwidth: object) -> None:
    if bandwidth is None:
        return
    if isinstance(bandwidth, str):
        check_choice("bandwidth", bandwidth, BANDWIDTH_RULES)
    elif not is_positive(bandwidth):
        raise ParameterError(
            f"A bandwidth must be a positive number or one of {sorted(BANDWIDTH_RULES)}. "
            f"Found {bandwidth!r}. For exact matching use the kernel 'identity'."
        )
