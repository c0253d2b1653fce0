"""How much memory a process may take."""

import os
import subprocess
import sys

import pytest

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from causalaug._memory import memory_of_process
print(memory_of_process() == 2**31)
"""


@pytest.mark.skipif(os.name == "nt", reason="limits are another matter on Windows")
def test_the_limit_of_the_process_counts():
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    words = [sys.executable, "-c", LIMITED]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "True\n"
