from concurrent.futures import ThreadPoolExecutor

import pytest
import scipy.linalg  # noqa: F401 - brings its linear algebra along
from threadpoolctl import threadpool_info, threadpool_limits

from causalaug._threads import one_blas_thread


def blas_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, "blas"):
        if blas_threads() != {2}:
            pytest.skip("the linear algebra here takes no number of threads")
        yield


def test_the_number_of_threads_comes_back():
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_it_comes_back_after_an_error():
    with pytest.raises(ValueError, match="mistake"), one_blas_thread():
        raise ValueError("mistake")
    assert blas_threads() == {2}


def test_other_threads_change_nothing():
    def work():
        with one_blas_thread():
            return blas_threads()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work).result() == {2}
    assert blas_threads() == {2}
