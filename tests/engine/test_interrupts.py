"""A signal becomes an exception wherever the run stands."""

import contextlib
import os
import signal

import pytest

from datacheck.interrupts import BOTH, InterruptedRunError, signals_raise


@pytest.mark.parametrize("number", BOTH)
def test_a_signal_in_what_swallows_errors_is_no_error(number):
    """Libraries catch what they cannot know by `except Exception`; a stopped run must not go on behind one."""
    before = signal.getsignal(number)
    with pytest.raises(InterruptedRunError) as stopped, signals_raise(), contextlib.suppress(Exception):
        os.kill(os.getpid(), number)
    assert stopped.value.number == number
    assert signal.getsignal(number) == before


def test_the_second_signal_is_ignored():
    with signals_raise():
        with pytest.raises(InterruptedRunError):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
