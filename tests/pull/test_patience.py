"""After which failures of look-ups no other id is asked for."""

import pytest

from recon.errors import Unavailable
from recon.pull.patience import MOST_UNREAD, Patience

SILENCE = [None, 408, 425, 500, 503, 599]
UNREAD = [200, 302, 404, 418]


def failed(*statuses: int | None, patience: Patience | None = None) -> Patience:
    found = patience or Patience()
    for status in statuses:
        found.failed(Unavailable("no", status=status))
    return found


@pytest.mark.parametrize("status", SILENCE, ids=str)
def test_after_three_ids_without_any_answer_none_is_asked(status: int | None) -> None:
    assert not Patience().is_over
    assert not failed(status, status).is_over
    assert failed(status, status, status).is_over


@pytest.mark.parametrize("status", UNREAD)
def test_an_answer_that_cannot_be_read_is_no_silence(status: int) -> None:
    assert not failed(None, None, status, None, None).is_over
    assert failed(None, None, status, None, None, None).is_over
    assert not failed(*[status] * (MOST_UNREAD - 1)).is_over
    assert failed(*[status] * MOST_UNREAD).is_over


def test_silence_between_unread_answers_does_not_make_them_fewer() -> None:
    assert failed(*[200] * (MOST_UNREAD - 1), None, None, 200).is_over


def test_an_answer_that_can_be_read_makes_all_forgotten() -> None:
    patience = failed(*[200] * (MOST_UNREAD - 1), None, None)
    patience.answered()
    assert not failed(*[200] * (MOST_UNREAD - 1), patience=patience).is_over
    patience.answered()
    assert not failed(None, None, patience=patience).is_over
