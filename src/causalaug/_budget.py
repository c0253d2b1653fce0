"""How long a call may take."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from causalaug._validation import is_positive
from causalaug.exceptions import ParameterError

OUT_OF_TIME = "left out for want of time"
"""What is said of work that a limit of time left out."""


@dataclass(frozen=True)
class Budget:
    """Until when something new may be begun.

    The clock is that of the machine, so that processes share a deadline.
    """

    deadline: float = float("inf")

    @classmethod
    def of(cls, *, minutes: float | None = None, seconds: float | None = None) -> Budget:
        """Return a budget that starts now; None has no end.

        >>> Budget.of(minutes=1, seconds=60)
        Traceback (most recent call last):
        causalaug.exceptions.ParameterError: Either `minutes` or `seconds` must be given. ...
        """
        for name, value in (("minutes", minutes), ("seconds", seconds)):
            if value is not None and not is_positive(value):
                raise ParameterError(
                    f"`{name}` must be a positive number, or None for no limit. Found {value!r}."
                )
        if minutes is not None and seconds is not None:
            raise ParameterError(
                "Either `minutes` or `seconds` must be given. "
                f"Found both, {minutes!r} and {seconds!r}. Leave one of them out."
            )
        if minutes is not None:
            seconds = 60.0 * float(minutes)
        return cls() if seconds is None else cls(monotonic() + float(seconds))

    @property
    def is_limited(self) -> bool:
        """Whether there is an end."""
        return self.deadline < float("inf")

    def allows(self, seconds: float = 0.0) -> bool:
        """Say whether something that takes so long could still be done."""
        return monotonic() + seconds < self.deadline
