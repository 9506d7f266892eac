"""Names are sought in many texts: once in those that differ by digits alone."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.reports import masking
from recon.settings import Business, Settings
from tests.reports.stand_in import ResultStandIn

SIGNS = st.sampled_from("aZ \u200c-_.0179۰۹٤²سيي\u0640")


def asked_of(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """What the lake is asked for: by the query, words or digits of these texts."""
    asked: dict[str, set[str]] = {}

    def known(result: object, query: str, words: set[str]) -> list[str]:
        asked[query] = words
        return []

    monkeypatch.setattr(masking, "_known", known)
    table = pa.table({"detail": pa.array(texts, pa.string())})
    masking.masking(ResultStandIn(), Settings(business=Business(name="shop")), [table])
    return asked


@given(st.lists(st.text(SIGNS, max_size=12), max_size=4))
def test_digits_aside_the_same_words_are_asked_for(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        asked = asked_of(texts, monkeypatch)
    runs = (masking._runs_of_words(text) for text in texts)
    assert asked[masking._NAMES] == {name for each in runs for name, _ in each}


def test_texts_that_differ_by_digits_are_read_for_names_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fifty thousand breaks of one check took a notebook's cell four seconds."""
    read: list[str] = []
    runs_of_words = masking._runs_of_words

    def counted(text: str) -> Iterator[Any]:
        read.append(text)
        return runs_of_words(text)

    monkeypatch.setattr(masking, "_runs_of_words", counted)
    texts = [f"The books have {n} rials, Sara Nuri was sent {n}0." for n in range(500)]
    asked = asked_of(texts, monkeypatch)
    assert "saranuri" in asked[masking._NAMES]
    assert len(read) == 1
