"""Several at once: results in order, the first error alone, nothing left behind."""

import asyncio
from contextlib import suppress

import pytest

from recon.api.together import together
from recon.errors import ProviderError, Unavailable


async def gives(value: int, after: float = 0) -> int:
    await asyncio.sleep(after)
    return value


async def fails(error: Exception) -> int:
    await asyncio.sleep(0)
    raise error


def test_results_come_in_the_order_of_the_works() -> None:
    works = [gives(1, 0.01), gives(2), gives(3)]
    assert asyncio.run(together(works)) == [1, 2, 3]


def test_nothing_is_nothing() -> None:
    assert asyncio.run(together(gives(each) for each in ())) == []


@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        ([Unavailable("a"), Unavailable("b")], "a"),
        ([Unavailable("a"), ValueError("b")], "b"),  # what is no provider's goes first
    ],
)
def test_the_first_error_is_raised_alone(errors: list[Exception], raised: str) -> None:
    with pytest.raises((ProviderError, ValueError), match=raised) as found:
        asyncio.run(together(map(fails, errors)))
    assert not isinstance(found.value, BaseExceptionGroup)


def test_a_failed_group_leaves_no_request_to_end_its_task() -> None:
    """Such a one made the next time-out of the task the end of all."""

    async def fail_and_wait() -> int:
        with pytest.raises(Unavailable):
            await together([fails(Unavailable("a")), gives(1, 60)])
        task = asyncio.current_task()
        left = task.cancelling() if task else -1
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.sleep(60)
        return left

    assert asyncio.run(fail_and_wait()) == 0


def test_a_failed_group_takes_back_no_request_of_another() -> None:
    async def fail_when_asked_to_end() -> int:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        with pytest.raises(Unavailable):
            await together([fails(Unavailable("a")), gives(1, 60)])
        return task.cancelling()

    assert asyncio.run(fail_when_asked_to_end()) == 1


def test_whoever_is_cancelled_while_it_waits_is_cancelled() -> None:
    async def cancelled() -> None:
        async with asyncio.timeout(0.01):
            await together([gives(1, 60)])

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
