# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # First look
#
# How did the night end, does the wallet hold what it should, what came in, and what
# failed? Set the period below and run all cells; an empty date leaves that end open.
# Dates are ISO (`2026-03-01`) or Jalali (`1404-12-10`).

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## The verdict
#
# Start at the top of the table: the loudest check comes first, with what to do.

# %%
notebook.verdict()

# %% [markdown]
# ## The wallet
#
# Look for orange dots: there the balance is not what all known movements lead to. Grey
# bars below are explained by named items, orange bars by nothing.

# %%
charts.wallet_rollforward(notebook.rollforward(), look=notebook.look())

# %%
notebook.rollforward()

# %% [markdown]
# ## Flows
#
# Look for days that are missing or far from their neighbours, and for a method whose
# share moved.

# %%
charts.flows_by_day(notebook.flows(), look=notebook.look())

# %%
notebook.flows()

# %% [markdown]
# ## Failures
#
# Look for a dark cell: there one method fails for one reason again and again. Time-outs
# deserve a second look, since their money may have moved.

# %%
charts.failure_matrix(notebook.failures(), look=notebook.look())

# %%
notebook.failures()
