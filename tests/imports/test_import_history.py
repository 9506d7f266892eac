"""What is left out as known must change nothing: held against a plain model."""

from hypothesis import given
from hypothesis import strategies as st

from recon.imports.history import known_files

# Each letter is a file; the kinds with a key keep the newest file of each key.
KEYS_OF = {"a": {1, 2}, "b": {2, 3}, "c": {1, 3}}
sequences = st.lists(st.sampled_from("abc"), max_size=6)


def newest_files(imported: list[str]) -> dict[int, str]:
    return {key: file for file in imported for key in KEYS_OF[file]}


def told(earlier: list[str], files: list[str], *, keyed: bool) -> list[bool]:
    return known_files(
        [(each, "UTC") for each in earlier],
        [(each, "UTC") for each in files],
        keyed=keyed,
    )


@given(sequences, sequences)
def test_with_a_key_leaving_out_known_files_leaves_the_same_newest(
    earlier: list[str], files: list[str]
) -> None:
    known = told(earlier, files, keyed=True)
    kept = [file for file, known in zip(files, known, strict=True) if not known]
    assert newest_files(earlier + kept) == newest_files(earlier + files)


@given(sequences, sequences)
def test_with_a_key_the_same_command_twice_is_known_whole(
    earlier: list[str], files: list[str]
) -> None:
    assert told(earlier + files, files, keyed=True) == [True] * len(files)


@given(sequences, sequences)
def test_without_a_key_every_file_is_taken_exactly_once(
    earlier: list[str], files: list[str]
) -> None:
    known = told(earlier, files, keyed=False)
    kept = [file for file, known in zip(files, known, strict=True) if not known]
    assert len(set(kept)) == len(kept)
    assert set(kept) == set(files) - set(earlier)


def test_with_a_key_a_file_that_was_overtaken_is_not_known() -> None:
    assert told(["a", "b"], ["a"], keyed=True) == [False]


def test_with_a_key_a_file_between_others_is_not_known() -> None:
    assert told([], ["a", "b", "a"], keyed=True) == [False, False, False]
