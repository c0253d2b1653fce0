from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalaug.conditionals import KernelConditional
from causalaug.exceptions import ParameterError
from causalaug.factorization import Factor
from causalaug.kernels import ColumnKernel, li_racine_step, scott, silverman
from causalaug.table import Table
from oracles import exact_log_weights

FRAME = pd.DataFrame(
    {
        "age": [20.5, 31.0, 42.25, 58.0, 60.0],
        "steps": [1, 2, 2, 5, 9],
        "town": ["Ulm", "Bonn", "Ulm", "Kiel", "Ulm"],
        "size": pd.Categorical(["S", "M", "L", "M", "S"], ["S", "M", "L"], ordered=True),
        "same": [7.5] * 5,
    }
)
KINDS = ("continuous", "discrete", "discrete", "ordered", "continuous")
TABLE = replace(Table.from_frame(FRAME), kinds=KINDS)


def kernels(**parameters):
    """Return the kernel of each column by name."""
    found = KernelConditional(**parameters).column_kernels(TABLE)
    return dict(zip(TABLE.columns, found, strict=True))


# Which kernel, which bandwidth.


def test_by_default_continuous_columns_are_smooth_and_discrete_ones_match():
    assert kernels() == {
        "age": ColumnKernel("gaussian", 0.3 * silverman(FRAME["age"].to_numpy())),
        "steps": ColumnKernel("nearest"),
        "town": ColumnKernel("nearest"),
        "size": ColumnKernel("li_racine", 0.3 * li_racine_step(5)),
        "same": ColumnKernel("nearest"),
    }


def test_to_the_letter_of_the_paper_all_but_continuous_columns_match():
    assert kernels(discrete_kernel="identity") == {
        "age": ColumnKernel("gaussian", 0.3 * silverman(FRAME["age"].to_numpy())),
        "steps": ColumnKernel("identity"),
        "town": ColumnKernel("identity"),
        "size": ColumnKernel("identity"),
        "same": ColumnKernel("gaussian", 0.0),
    }


def test_a_column_may_have_its_kernel_of_ranks():
    found = kernels(kernel={"steps": "li_racine", "size": "identity"}, bandwidth={"steps": 0.5})
    assert found["steps"] == ColumnKernel("li_racine", 0.5)
    assert found["size"] == ColumnKernel("identity")
    assert kernels(bandwidth={"size": 7.0})["size"] == ColumnKernel("li_racine", 1.0)
    assert kernels(bandwidth=2.0)["size"] == kernels()["size"]
    assert kernels(temperature=1e6)["size"] == ColumnKernel("li_racine", 1.0)


@pytest.mark.parametrize("name", ["gaussian", "epanechnikov", "biweight", "triweight", "tricube"])
def test_one_kernel_serves_the_continuous_columns(name):
    found = kernels(kernel=name, discrete_kernel="identity")
    assert [found[column].name for column in ("age", "same")] == [name, name]
    assert found["steps"].name == "identity"
    assert [kernels(kernel=name)[column].name for column in ("age", "same")] == [name, "nearest"]


@pytest.mark.parametrize(
    ("bandwidth", "expected"),
    [
        ("silverman", 0.5 * silverman(FRAME["age"].to_numpy())),
        ("scott", 0.5 * scott(FRAME["age"].to_numpy())),
        (None, 0.5 * silverman(FRAME["age"].to_numpy())),
        (2, 2.0),
        (Fraction(1, 4), 0.25),
        (np.float32(0.5), 0.5),
        (1e-300, 1e-300),
        ({"age": "scott"}, 0.5 * scott(FRAME["age"].to_numpy())),
        ({"age": None}, 0.5 * silverman(FRAME["age"].to_numpy())),
        ({"age": 3.0}, 3.0),
        ({"same": 3.0}, 0.5 * silverman(FRAME["age"].to_numpy())),
    ],
)
def test_temperature_scales_rules_but_not_numbers(bandwidth, expected):
    age = kernels(bandwidth=bandwidth, temperature=0.5)["age"]
    assert age == ColumnKernel("gaussian", expected)
    assert type(age.bandwidth) is float


def test_a_number_is_the_bandwidth_of_a_constant_column_too():
    assert kernels(bandwidth=2.0)["same"] == ColumnKernel("gaussian", 2.0)


def test_single_columns_of_either_kind_may_have_their_kernel():
    found = kernels(
        discrete_kernel="identity",
        kernel={"steps": "gaussian", "age": "identity", "town": "aitchison_aitken"},
        bandwidth={"steps": 1.5, "town": 0.25},
    )
    assert found["steps"] == ColumnKernel("gaussian", 1.5)
    assert found["age"] == ColumnKernel("identity")
    assert found["town"] == ColumnKernel("aitchison_aitken", 0.25)
    assert found["same"].name == "gaussian"
    assert found["size"].name == "identity"


def test_ordered_categories_have_distances_on_demand():
    ranks = np.array([0.0, 1.0, 2.0, 1.0, 0.0])
    expected = ColumnKernel("tricube", 0.3 * silverman(ranks))
    assert kernels(kernel={"size": "tricube"})["size"] == expected


@pytest.mark.parametrize("bandwidth", ["silverman", "scott", 0.01, {"age": 0.01}, {"town": None}])
def test_smoothing_follows_its_own_rule_unless_a_column_is_named(bandwidth):
    found = kernels(discrete_kernel="aitchison_aitken", bandwidth=bandwidth, temperature=0.5)
    assert found["town"].bandwidth == pytest.approx(0.5 * 5**-0.4 * 2 / 3)
    assert found["steps"].bandwidth == pytest.approx(0.5 * 5**-0.4 * 3 / 4)


def test_smoothing_never_prefers_other_values():
    found = kernels(discrete_kernel="aitchison_aitken", temperature=1e6)
    assert found["town"].bandwidth == pytest.approx(2 / 3)


def test_smoothing_of_a_constant_column_is_none():
    assert kernels(kernel="aitchison_aitken")["same"] == ColumnKernel("aitchison_aitken", 0.0)


# Fitting.


def test_equal_pillows_share_one_fit():
    factors = [
        Factor("age", ()),
        Factor("steps", ("age",)),
        Factor("town", ("age",)),
        Factor("size", ("age", "town")),
        Factor("same", ()),
    ]
    fitted = KernelConditional().fit(TABLE, factors)
    assert fitted[1].weigher is fitted[2].weigher
    assert fitted[0].weigher is fitted[4].weigher
    assert len({id(each.weigher) for each in fitted}) == 3


@given(st.permutations(["age", "steps", "town"]), st.integers(0, 3), st.integers(0, 4))
def test_weights_follow_the_columns_of_the_pillow(names, n_columns, row):
    pillow = tuple(names[:n_columns])
    conditional = KernelConditional(discrete_kernel="aitchison_aitken", temperature=2.0)
    (fitted,) = conditional.fit(TABLE, [Factor("same", pillow)])
    columns = [TABLE.columns.index(name) for name in pillow]
    values = TABLE.values[:, columns]
    (weights,) = fitted.weigher.weigh(values[[row]])
    entries = np.arange(weights.n_entries)
    chosen = conditional.column_kernels(TABLE)
    pairs = [(chosen[column].name, chosen[column].bandwidth) for column in columns]
    found = np.zeros(5)
    found[weights.index_at(entries)] = weights.weight
    expected = np.exp(exact_log_weights(values, pairs, values[row]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_parameters_are_values():
    assert KernelConditional() == KernelConditional("gaussian", "nearest", "silverman", 0.3)
    with pytest.raises(FrozenInstanceError):
        KernelConditional().temperature = 1.0


# Errors.


@pytest.mark.parametrize("kernel", ["gausian", None, 3, {"age": "uniform"}])
def test_kernels_must_exist(kernel):
    message = (
        r"`kernel` must be one of \['aitchison_aitken', 'biweight', 'epanechnikov', 'gaussian', "
        r"'identity', 'li_racine', 'nearest', 'tricube', 'triweight'\]. Found "
    )
    with pytest.raises(ParameterError, match=message):
        KernelConditional(kernel=kernel)


@pytest.mark.parametrize("kernel", ["gaussian", None, {"town": "identity"}])
def test_discrete_kernels_must_exist(kernel):
    message = (
        r"`discrete_kernel` must be one of \['aitchison_aitken', 'identity', 'nearest'\]. Found "
    )
    with pytest.raises(ParameterError, match=message):
        KernelConditional(discrete_kernel=kernel)


@pytest.mark.parametrize("bandwidth", ["sliverman", {"age": "sliverman"}])
def test_bandwidth_rules_must_exist(bandwidth):
    message = r"`bandwidth` must be one of \['scott', 'silverman'\]. Found 'sliverman'"
    with pytest.raises(ParameterError, match=message):
        KernelConditional(bandwidth=bandwidth)


@pytest.mark.parametrize("bandwidth", [0, -1.0, np.inf, np.nan, 1j, [1.0], {"age": 0.0}])
def test_bandwidths_must_be_positive(bandwidth):
    message = (
        r"A bandwidth must be a positive number or one of \['scott', 'silverman'\]. "
        r"Found .*. For exact matching use the kernel 'identity'."
    )
    with pytest.raises(ParameterError, match=message):
        KernelConditional(bandwidth=bandwidth)


@pytest.mark.parametrize("temperature", [0, -0.5, np.inf, np.nan, "warm", None, 1j])
def test_the_temperature_must_be_positive(temperature):
    message = (
        f"`temperature` must be a positive number. Found {temperature!r}. "
        "For exact matching use kernel='identity'."
    )
    with pytest.raises(ParameterError, match=message):
        KernelConditional(temperature=temperature)


@pytest.mark.parametrize("parameter", ["bandwidth", "temperature"])
def test_integers_beyond_every_float_are_refused(parameter):
    with pytest.raises(ParameterError, match="must be a positive number"):
        KernelConditional(**{parameter: 10**400})


@pytest.mark.parametrize("parameter", [{"kernel": {"agee": "tricube"}}, {"bandwidth": {"agee": 1}}])
def test_columns_must_exist(parameter):
    (name,) = parameter
    message = rf"`{name}` names columns that the data do not have: \['agee'\]. A typing slip\?"
    with pytest.raises(ParameterError, match=message):
        kernels(**parameter)


def test_distances_need_a_scale():
    message = (
        r"Kernel 'gaussian' measures distances, but column 'town' holds values without a scale. "
        r"Use one of \['aitchison_aitken', 'identity', 'nearest'\] for it."
    )
    with pytest.raises(ParameterError, match=message):
        kernels(kernel={"town": "gaussian"})


def test_smoothing_must_not_prefer_other_values():
    message = (
        "The bandwidth of 'town' is the weight that leaves the observed value: with 3 values "
        "it must be at most 0.6667. Found 0.7."
    )
    with pytest.raises(ParameterError, match=message):
        kernels(kernel={"town": "aitchison_aitken"}, bandwidth={"town": 0.7})


def test_the_dict_of_the_caller_is_copied():
    bandwidth = {"a": 1.0}
    conditional = KernelConditional(bandwidth=bandwidth)
    bandwidth["a"] = -3.0
    assert conditional.bandwidth == {"a": 1.0}
