"""A name from outside stays one segment of a request's path."""

import pytest

from recon.api.paths import record_segment, segment
from recon.errors import Refused, UsageError


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_climbs_out_of_its_path_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        segment(name)
    with pytest.raises(Refused):
        record_segment(name)


def test_a_name_with_a_slash_stays_one_segment() -> None:
    assert segment("a/../b?c#d") == "a%2F..%2Fb%3Fc%23d"
