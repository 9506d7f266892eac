"""Several requests at once: the first error ends them all, and is raised alone."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from recon.errors import ProviderError

Value = TypeVar("Value")


async def together(works: Iterable[Coroutine[Any, Any, Value]]) -> list[Value]:
    """Run them to their ends, and return what each gives, in their order.

    A group cancels its task to end the others, and leaves that request standing: the
    task's next time-out would take it for somebody else's, on the first releases of
    Python 3.11, and end all with it.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except BaseExceptionGroup as errors:
        while task is not None and task.cancelling() > before:
            task.uncancel()
        raise _first(errors) from None
    return [each.result() for each in tasks]


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group; a provider's error where there is no other."""
    found = errors.exceptions
    other = [error for error in found if not isinstance(error, ProviderError)]
    return (other or list(found))[0]
