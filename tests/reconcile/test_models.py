"""The SQL files: their names, what they read, and one clear error each."""

from pathlib import Path

import pytest

from recon.errors import UsageError
from recon.reconcile.models import Catalogue, names_read, shipped_catalogue
from tests.lake.barred import bar


def folder(root: Path, **files: str) -> Path:
    """Lay out models: `intermediate__int_a="select …"`."""
    for name, sql in files.items():
        kind, _, stem = name.partition("__")
        (root / kind).mkdir(exist_ok=True)
        (root / kind / f"{stem}.sql").write_text(sql, encoding="utf-8")
    return root


def test_a_file_has_its_models_name(tmp_path: Path) -> None:
    catalogue = Catalogue.of(
        folder(
            tmp_path,
            staging__stg_a="select 1 as n",
            intermediate__int_b="select * from stg_a",
            checks__c="select * from int_b",
            reports__d="select * from int_b join stg_a on true",
        )
    )
    assert list(catalogue.models) == ["stg_a", "int_b", "check_c", "report_d"]
    assert catalogue.models["report_d"].reads == {"int_b", "stg_a"}
    assert [model.name for model in catalogue.checks()] == ["check_c"]


def test_what_is_computed_more_than_once_is_kept(tmp_path: Path) -> None:
    catalogue = Catalogue.of(
        folder(
            tmp_path,
            staging__stg_a="select 1 as n",
            staging__stg_b="select * from stg_a",
            intermediate__int_c="-- streamed: it is large.\nselect * from stg_b",
            checks__one="select * from int_c",
            checks__two="select * from int_c",
        )
    )
    assert catalogue.kept == {"stg_b"}  # int_c is streamed, and computes stg_b twice


def test_what_one_reader_streams_is_not_kept(tmp_path: Path) -> None:
    catalogue = Catalogue.of(
        folder(
            tmp_path,
            staging__stg_a="select 1 as n",
            intermediate__int_b="-- streamed: it is large.\nselect * from stg_a",
            checks__one="select '-- streamed: not in the header' from int_b",
        )
    )
    assert catalogue.kept == frozenset()


def test_a_header_may_say_that_a_model_of_one_reader_is_kept(tmp_path: Path) -> None:
    catalogue = Catalogue.of(
        folder(
            tmp_path,
            intermediate__int_a="-- kept: it is short.\nselect 1 as n",
            intermediate__int_b="select 1 as n -- kept: not in the header",
            checks__one="select * from int_a cross join int_b",
        )
    )
    assert catalogue.kept == {"int_a"}


def test_only_what_follows_from_and_join_is_read() -> None:
    sql = "-- from nowhere\nselect 'from here' as a from stg_a left join INT_B on 1 = 1"
    assert names_read(sql, "x.sql") == {"stg_a", "int_b"}


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ('select 1 from "a ""b""" JOIN /* from c */ d', {'a "b"', "d"}),
        ("select 'ریال' as \"from\" from -- سلام\n int_ü", {"int_ü"}),
        ("select $$from a$$, 'from ''b', \"join c\"", frozenset()),
        ("select 1 from", frozenset()),
        ("-- from a", frozenset()),
        ("", frozenset()),
    ],
)
def test_names_are_split_as_the_engine_splits_them(
    sql: str, names: frozenset[str]
) -> None:
    assert names_read(sql, "x.sql") == names


def test_models_that_read_each_other_are_refused(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        intermediate__int_a="select * from int_b",
        intermediate__int_b="select * from int_a",
    )
    with pytest.raises(UsageError, match=r"int_a\.sql.*int_a → int_b → int_a"):
        Catalogue.of(root)


def test_a_model_that_reads_itself_is_refused(tmp_path: Path) -> None:
    root = folder(tmp_path, intermediate__int_a="select * from int_a")
    with pytest.raises(UsageError, match=r"int_a\.sql: the model reads itself"):
        Catalogue.of(root)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    root = folder(tmp_path, staging__x="select 1", intermediate__x="select 1")
    with pytest.raises(UsageError, match=r"intermediate/x\.sql: .*staging/x\.sql"):
        Catalogue.of(root)


@pytest.mark.parametrize("end", ["'open", '"open', "/* open", "$$ open", "1 from 'a"])
def test_a_file_that_cannot_be_split_into_words_names_itself(
    tmp_path: Path, end: str
) -> None:
    root = folder(tmp_path, checks__c=f"select {end}")
    with pytest.raises(UsageError, match=r"checks/c\.sql: "):
        Catalogue.of(root)


def test_a_file_that_is_no_text_names_itself(tmp_path: Path) -> None:
    folder(tmp_path, checks__c="")
    (tmp_path / "checks" / "c.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"checks/c\.sql: "):
        Catalogue.of(tmp_path)


def test_every_shipped_model_reads_only_what_there_is() -> None:
    catalogue = shipped_catalogue()
    assert len(catalogue.checks()) > 50


def test_queries_that_may_not_be_read_are_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = folder(tmp_path, checks__c="select 1 as n", staging__stg_a="select 1 as n")
    assert len(Catalogue.of(made).models) == 2
    bar(monkeypatch, made / "checks")
    with pytest.raises(PermissionError):
        Catalogue.of(made)


def test_an_installation_without_checks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = folder(tmp_path, staging__stg_a="select 1 as n")
    monkeypatch.setattr("recon.reconcile.models.queries_folder", lambda: made)
    with pytest.raises(
        UsageError, match="has no checks: the installation is not whole"
    ):
        shipped_catalogue.__wrapped__()
