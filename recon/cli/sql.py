"""`recon sql`: a query over the lake's tables and the last results."""

import sys

import click

from recon.cli import options
from recon.cli.output import print_json, print_table
from recon.separators import are_years


@click.command("sql")
@click.argument("query")
@options.config_option
@options.json_option
@options.as_of_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def command(
    query: str, config: str | None, as_json: bool, as_of: str | None, as_csv: bool
) -> None:
    """Run a QUERY (DuckDB's SQL) over the lake; nothing it does changes the lake.

    Tables: checkouts, payments, mandates, agreements, books, … as last seen,
    raw_<table> with every version, every model of queries/, flows, failures, fees (by
    day), matches, journal, imports (the files that were imported), and what the last
    run found: breaks, rollforward. `show tables` as the QUERY lists names, and
    `describe payments` the columns of one: payment_id and amount_rial are here what the
    provider calls id and amount, as raw_payments does.

    A column that can be one of years has no thousands separators, and averages are
    rounded; --csv and --json print all numbers as they are.
    """
    from recon.reconcile.console import ask

    settings = options.settings(config)
    instant = options.instant(as_of, settings)
    found = ask(query, options.lake(settings), settings, as_of=instant)
    if as_csv:
        from recon.cli.query_csv import write

        sys.stdout.flush()
        write(found, sys.stdout.buffer)
    elif as_json:
        print_json(found.to_pylist())
    else:
        rows, columns = found.to_pylist(), found.column_names
        years = [name for name in columns if are_years(row[name] for row in rows)]
        print_table(rows, columns, years=years)
