"""Blocks of work, wherever they are done."""

import threading
import time

import pytest

from causalaug._workers import check_engine, map_blocks
from causalaug.exceptions import ParameterError

ENGINES = [None, "threads"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("in_flight", [None, 1, 4])
def test_results_come_in_the_order_of_the_blocks(engine, in_flight):
    def work(shared, block):
        time.sleep(0.001 * (5 - block % 5))
        return shared + block

    assert list(map_blocks(work, 100, range(20), engine, in_flight)) == list(range(100, 120))


@pytest.mark.parametrize("engine", ENGINES)
def test_no_block_is_no_result(engine):
    assert list(map_blocks(pow, 2, [], engine)) == []


def test_no_more_blocks_are_in_flight_than_asked_for():
    lock, now, most = threading.Lock(), [0], [0]

    def work(shared, block):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.002)
        with lock:
            now[0] -= 1

    list(map_blocks(work, None, range(12), "threads", in_flight=3))
    assert most[0] == 3


def test_an_error_is_passed_on_and_ends_the_work():
    started = []

    def work(shared, block):
        started.append(block)
        if block == 1:
            raise ZeroDivisionError
        time.sleep(0.01)

    with pytest.raises(ZeroDivisionError):
        list(map_blocks(work, None, range(1000), "threads", in_flight=2))
    assert len(started) < 20


@pytest.mark.parametrize("engine", ["thread", 2, object()], ids=["name", "number", "object"])
def test_an_engine_that_does_not_exist_is_refused(engine):
    with pytest.raises(ParameterError, match="`engine` must be None"):
        check_engine(engine)


def test_a_number_of_blocks_in_flight_must_be_positive():
    with pytest.raises(ParameterError, match="`in_flight` must be an integer of at least 1"):
        check_engine(None, in_flight=0)
