"""Hypothesis profiles: `ci` repeats the same examples, `thorough` looks for new ones."""

import os

# Before anything loads OpenMP: parallel test workers, each with as many threads as there are
# cores, would fight for them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Before anything loads matplotlib: pictures are drawn into memory, never on a screen.
os.environ["MPLBACKEND"] = "Agg"

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", derandomize=True, max_examples=100, **COMMON)
settings.register_profile("thorough", max_examples=2000, print_blob=True, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
