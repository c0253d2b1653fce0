"""The density of noise around a mean, on the scale of a column, within its limits."""

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from causalaug.densities._base import NO_ATOMS, Along, beside
from causalaug.densities._student import log_student, student_levels, student_quantile
from causalaug.densities._transform import PlainTransform, Transform
from causalaug.typing import FloatArray


class LocationScale(Protocol):
    """A centre and a scale, given the pillow."""

    def __call__(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the centre and the scale at each row of the pillow."""

    def along(
        self, pillow: FloatArray, position: int, points: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return both with one column of the pillow at several points of each row."""


@dataclass(frozen=True, eq=False)
class HeldLocation:
    """Centres and scales that are known, of rows that are given by number: a pillow of one."""

    centre: FloatArray
    scale: FloatArray

    def __call__(self, pillow: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the centre and the scale of each row."""
        rows = pillow[:, 0].astype(np.int64)
        return self.centre[rows], self.scale[rows]


@np.errstate(over="ignore")  # a distance beyond all numbers leaves nothing of the density
def transformed_density(
    transform: Transform, values: FloatArray, centre: FloatArray, scale: FloatArray, freedom: float
) -> FloatArray:
    """Return the log-density of values whose transformed noise is Student's t around `centre`.

    Values as they are may leave the limits. They are reflected, so that the density beyond a
    limit counts on this side of it: with every transform the mass within the limits is 1.
    """
    log_scale = np.log(scale)
    if transform == PlainTransform():
        return log_student((values - centre) / scale, log_scale, freedom)
    if isinstance(transform, PlainTransform):
        return transform.log_reflected(
            lambda own: log_student((own - centre) / scale, log_scale, freedom), values
        )
    logs = log_student((transform.forward(values) - centre) / scale, log_scale, freedom)
    return np.where(transform.holds(values), logs + transform.log_jacobian(values), -np.inf)


@dataclass(frozen=True, eq=False)
class NoiseDensity:
    """Student's t around a mean, both on the transformed scale of a column.

    The mean and the scale of the noise depend on the pillow.
    """

    location: LocationScale | HeldLocation
    freedom: float
    transform: Transform = PlainTransform()
    atoms: FloatArray = field(default_factory=NO_ATOMS.copy)
    levels: FloatArray | None = None

    def log_density(self, values: FloatArray, pillow: FloatArray) -> FloatArray:
        """Return the log-density of each value, ``-inf`` beyond the limits."""
        centre, scale = (beside(each, values) for each in self.location(pillow))
        return transformed_density(self.transform, values, centre, scale, self.freedom)

    def held(self, pillow: FloatArray) -> "NoiseDensity":
        """Return the density given rows of the pillow, whose numbers stand for them from now on.

        Where the noise lies is worked out once, however often the density is asked.
        """
        return replace(self, location=HeldLocation(*self.location(pillow)))

    def log_along(
        self, values: FloatArray, pillow: FloatArray, position: int, points: FloatArray
    ) -> FloatArray:
        """Return the log-density of each value with a column of its pillow at several points.

        Shapes: values (n,), pillow (n, n_columns), points and result (n, n_points).
        """
        assert not isinstance(self.location, HeldLocation)
        centre, scale = self.location.along(pillow, position, points)
        own = values[:, np.newaxis]
        return transformed_density(self.transform, own, centre, scale, self.freedom)

    def along(self, values: FloatArray, pillow: FloatArray, position: int) -> Along:
        """Return what `log_along` says of rows, by their numbers, however often it is asked."""
        return lambda rows, points: self.log_along(values[rows], pillow[rows], position, points)

    def centre(self, pillow: FloatArray) -> FloatArray | None:
        """Return the mean, unless a limit or another scale makes it differ from the centre."""
        if self.transform != PlainTransform():
            return None
        centre, _ = self.location(pillow)
        return centre

    def cover(self, pillow: FloatArray, n_points: int) -> FloatArray:
        """Return quantiles of the noise around the mean, moved within the limits."""
        centre, scale = self.location(pillow)
        points = student_levels(n_points, self.freedom)
        covered = centre[:, np.newaxis] + scale[:, np.newaxis] * points
        if isinstance(self.transform, PlainTransform):
            # Reflected points would not be ascending.
            return np.clip(covered, self.transform.low, self.transform.high)
        return self.transform.inverse(covered)

    def draw(self, pillow: FloatArray, uniform: FloatArray) -> FloatArray:
        """Return quantiles of the noise around the mean, within the limits."""
        centre, scale = self.location(pillow)
        return self.transform.inverse(centre + scale * student_quantile(uniform, self.freedom))
