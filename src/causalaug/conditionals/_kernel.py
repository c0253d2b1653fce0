"""The conditional of the paper: weigh rows by a product kernel on the pillow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from causalaug._validation import check_at_least, check_choice, check_columns_exist, is_positive
from causalaug.conditionals._base import FittedConditional, LawsOfCounts
from causalaug.densities import DEFAULT_SMOOTHING, RowLaw
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.kernels import (
    BANDWIDTH_RULES,
    CONTINUOUS_KERNELS,
    DISCRETE_KERNELS,
    ORDERED_KERNEL,
    ColumnKernel,
    Kernel,
    KernelColumn,
    ProductKernel,
    RowWeigher,
    aitchison_aitken_smoothing,
    li_racine_step,
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
    kernel : str, Kernel or dict, default="gaussian"
        Kernel of the continuous columns: ``"gaussian"``, ``"epanechnikov"``,
        ``"biweight"``, ``"triweight"`` or ``"tricube"``. A dict names the kernel of single
        columns, of either kind; the others keep their default. A `causalaug.kernels.Kernel` of
        your own is used as it is: `bandwidth` and `temperature` do not touch it.
    discrete_kernel : str, default="nearest"
        Kernel of the nominal columns. ``"nearest"`` wants rows that are equal; where there is
        none, those that differ in the fewest columns serve, so that no path ends.
        ``"identity"`` is the paper's exact match, for ordered columns too; paths end where no
        row is equal. ``"aitchison_aitken"`` puts a small weight on all other values. Ordered
        columns are weighed by their distance in ranks (Li and Racine's kernel).
    bandwidth : str, float or dict, default="silverman"
        ``"silverman"`` or ``"scott"`` choose the bandwidth of each continuous column from
        the data. A number is the bandwidth of every continuous column, as it is. A dict
        names the rule or the number of single columns; the others keep ``"silverman"``.
        For ``"aitchison_aitken"`` a number in the dict is the weight that leaves the
        observed value, for ordered columns the weight of the next rank.
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
    KernelConditional(kernel='gaussian', discrete_kernel='nearest', bandwidth={'age': 2.0}, \
temperature=0.5, level_smoothing=1.0)

    A wrong name is refused at once, with the names that exist:

    >>> KernelConditional(kernel="gausian")
    Traceback (most recent call last):
    ...
    causalaug.exceptions.ParameterError: `kernel` must be one of ['aitchison_aitken', 'biweight', \
'epanechnikov', 'gaussian', 'identity', 'li_racine', 'nearest', 'tricube', 'triweight']. \
Found 'gausian'. A typing slip? 'gausian' -> 'gaussian'.
    """

    kernel: str | Kernel | Mapping[str, str | Kernel] = "gaussian"
    discrete_kernel: str = "nearest"
    bandwidth: Bandwidth | Mapping[str, Bandwidth] = "silverman"
    temperature: float = 0.3
    level_smoothing: float = DEFAULT_SMOOTHING

    def __post_init__(self) -> None:
        """Refuse names that do not exist and numbers that are not positive."""
        for name in ("kernel", "bandwidth"):
            if isinstance(getattr(self, name), Mapping):
                object.__setattr__(self, name, dict(getattr(self, name)))
        every_kernel = (*CONTINUOUS_KERNELS, *DISCRETE_KERNELS, ORDERED_KERNEL)
        for kernel in _values(self.kernel):
            if not isinstance(kernel, Kernel):
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
        return self.fit_each([table] * len(factors), factors)

    def fit_each(
        self, tables: Sequence[Table], factors: Sequence[Factor]
    ) -> tuple[FittedConditional, ...]:
        """Return the same where each factor has a table of its own."""
        weighers = self.weighers(tables, factors, self.temperature)
        laws = LawsOfCounts(self, self.laws(weighers, tables, factors), Table.repeated)
        return tuple(
            FittedConditional(each, law=partial(laws.at, number))
            for number, each in enumerate(weighers)
        )

    def laws(
        self, weighers: Sequence[RowWeigher], tables: Sequence[Table], factors: Sequence[Factor]
    ) -> list[RowLaw]:
        """Return the law of each factor, of weighted rows."""
        return [
            RowLaw(*each, level_smoothing=self.level_smoothing)
            for each in zip(weighers, tables, factors, strict=True)
        ]

    def weighers(
        self, tables: Sequence[Table], factors: Sequence[Factor], temperature: float
    ) -> list[RowWeigher]:
        """Return the product kernel of each factor at some temperature; equal pillows share one."""
        columns: dict[tuple[int, str], KernelColumn] = {}
        made: dict[tuple[int, tuple[str, ...]], RowWeigher] = {}
        for table, factor in zip(tables, factors, strict=True):
            key = id(table), factor.pillow
            if key in made:
                continue
            self._check_names(table)
            for name in factor.pillow:
                if (id(table), name) not in columns:
                    columns[id(table), name] = self._kernel_column(table, name, temperature)
            pillow = [columns[id(table), name] for name in factor.pillow]
            made[key] = ProductKernel.of(pillow, table.n_rows, table.row_weights)
        return [made[id(table), f.pillow] for table, f in zip(tables, factors, strict=True)]

    def _kernel_column(self, table: Table, name: str, temperature: float) -> KernelColumn:
        number = table.index(name)
        kernel = self._column_kernel(table, number, temperature)
        return KernelColumn.of(kernel, table.values[:, number], table.coding(number).values)

    def column_kernels(self, table: Table) -> tuple[ColumnKernel | Kernel, ...]:
        """Return the kernel and the bandwidth of each column, as used within a pillow."""
        self._check_names(table)
        columns = range(table.n_columns)
        return tuple(self._column_kernel(table, each, self.temperature) for each in columns)

    def _check_names(self, table: Table) -> None:
        for name, per_column in (("kernel", self.kernel), ("bandwidth", self.bandwidth)):
            if isinstance(per_column, Mapping):
                check_columns_exist(name, per_column, table.columns)

    def _column_kernel(
        self, table: Table, column: int, temperature: float
    ) -> ColumnKernel | Kernel:
        name, n_rows = table.columns[column], table.n_present(column)
        # Two ranks have no order that would tell more than whether they are equal.
        is_order = table.kinds[column] == "ordered" and len(table.coding(column).values) > 2
        kind = table.kinds[column] if is_order or table.kinds[column] == "continuous" else "nominal"
        kernel, bandwidth = self._kernel_of(name, kind), self._bandwidth_of(name)
        if kernel in ("identity", "nearest"):
            return ColumnKernel(kernel)
        if kernel == "aitchison_aitken":
            return ColumnKernel(kernel, self._smoothing(table, column, bandwidth, temperature))
        if kernel == ORDERED_KERNEL:
            own = isinstance(self.bandwidth, Mapping) and not isinstance(bandwidth, str)
            step = float(bandwidth) if own else temperature * li_racine_step(n_rows)
            return ColumnKernel(kernel, min(step, 1.0))
        if not table.numeric[column]:
            raise ParameterError(
                f"Kernel {kernel!r} measures distances, but column {name!r} holds values "
                f"without a scale. Use one of {sorted(DISCRETE_KERNELS)} for it."
            )
        if isinstance(kernel, Kernel):
            return kernel
        if isinstance(bandwidth, str):
            # A constant column wants exact match, and puts up with values that were never seen.
            rule = table.summary(column, BANDWIDTH_RULES[bandwidth])
            if rule == 0.0 and self.discrete_kernel == "nearest":
                return ColumnKernel("nearest")
            return ColumnKernel(kernel, temperature * rule)
        return ColumnKernel(kernel, float(bandwidth))

    def _kernel_of(self, name: str, kind: str) -> str | Kernel:
        of_ranks = "identity" if self.discrete_kernel == "identity" else ORDERED_KERNEL
        by_kind = {"continuous": "gaussian", "ordered": of_ranks}
        default = by_kind.get(kind, self.discrete_kernel)
        if isinstance(self.kernel, Mapping):
            return self.kernel.get(name, default)
        return self.kernel if kind == "continuous" else default

    def _bandwidth_of(self, name: str) -> str | float:
        own = self.bandwidth.get(name) if isinstance(self.bandwidth, Mapping) else self.bandwidth
        return "silverman" if own is None else own

    def _smoothing(
        self, table: Table, column: int, bandwidth: str | float, temperature: float
    ) -> float:
        name, n_values = table.columns[column], len(table.coding(column).values)
        largest = (n_values - 1) / n_values
        if isinstance(bandwidth, str) or not isinstance(self.bandwidth, Mapping):
            rule = aitchison_aitken_smoothing(table.n_present(column), n_values)
            return min(temperature * rule, largest)
        if bandwidth > largest:
            raise ParameterError(
                f"The bandwidth of {name!r} is the weight that leaves the observed value: with "
                f"{n_values} values it must be at most {largest:.4g}. Found {bandwidth!r}."
            )
        return float(bandwidth)


def _values(parameter: object) -> list[object]:
    return list(parameter.values()) if isinstance(parameter, Mapping) else [parameter]


def _check_bandwidth(bandwidth: object) -> None:
    if isinstance(bandwidth, str):
        check_choice("bandwidth", bandwidth, BANDWIDTH_RULES)
    elif bandwidth is not None and not is_positive(bandwidth):
        raise ParameterError(
            f"A bandwidth must be a positive number or one of {sorted(BANDWIDTH_RULES)}. "
            f"Found {bandwidth!r}. For exact matching use the kernel 'identity'."
        )
