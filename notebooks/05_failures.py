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
# # Failures
#
# What did not go through, why, when, and what does it amount to? Time-outs may have moved
# money all the same.

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## Over time
#
# Look for the thick line leaving its usual height, and for the method that pulls it.

# %%
charts.failure_rate_by_day(notebook.failures(), look=notebook.look())

# %% [markdown]
# ## By method and code
#
# Look for a dark cell: there one method fails for one reason again and again.

# %%
charts.failure_matrix(notebook.failures(), look=notebook.look())

# %% [markdown]
# ## By hour
#
# A dark column is an hour with trouble at a bank; a dark cell may be only a few attempts.

# %%
charts.failures_by_hour(notebook.hours(), look=notebook.look())

# %% [markdown]
# ## What it amounts to
#
# The rials that did not come in at this attempt; some came in at the next.

# %%
charts.failure_cost(notebook.failures(), look=notebook.look())

# %% [markdown]
# ## Time-outs that may have moved money
#
# Each of these may be in the next balance of the wallet; until then the customer should
# not be charged again.

# %%
notebook.breaks().query("check == 'payment_timeout_uncertain'")

# %% [markdown]
# ## The figures
#
# `attempts` are those of the date and method, and stand again on the row of each code.

# %%
notebook.failures()
