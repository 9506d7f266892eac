"""What `recon sql` prints: readable for people, in full for programs."""

import json
from pathlib import Path

import pytest

from recon.cli.group import run

_NUMBERS = (
    "select 2026 as y, 12345 as n, 5e6 as a, 2870694.6653806586::double as b, "
    "2.5 as c, '9121112233' as d"
)


_PRINTED = """\
y     n       a             b             c    d
2026  12,345  5,000,000.00  2,870,694.67  2.5  9121112233
"""
_AS_CSV = """\
"y","n","a","b","c","d"
2026,12345,5000000,2870694.6653806586,2.5,"9121112233"
"""
_AS_JSON = """\
[
  {
    "y": 2026,
    "n": 12345,
    "a": 5000000.0,
    "b": 2870694.6653806586,
    "c": "2.5",
    "d": "9121112233"
  }
]
"""


@pytest.mark.parametrize(
    ("option", "told"), [((), _PRINTED), (("--csv",), _AS_CSV), (("--json",), _AS_JSON)]
)
def test_years_are_plain_and_averages_rounded_for_people_only(
    option: tuple[str, ...],
    told: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    code = run(["sql", _NUMBERS, *option, "--config", str(config)])
    assert (code, capfd.readouterr().out) == (0, told)


def test_what_is_no_number_of_json_is_a_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    asked = "select 1e400 as a, 'nan'::double as b, [-1e400] as c, {'x': 1e400} as d"
    assert run(["sql", asked, "--json", "--config", str(config)]) == 0
    printed = capfd.readouterr().out
    assert "NaN" not in printed
    assert "Infinity" not in printed
    (row,) = json.loads(printed)
    assert row == {"a": "inf", "b": "nan", "c": ["-inf"], "d": {"x": "inf"}}
