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
# # Flows
#
# How much came in, when, by which method, and what was left after the wage?

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## By day
#
# Look for days that are missing or far from their neighbours, and for a method whose
# share moved.

# %%
charts.flows_by_day(notebook.flows(), look=notebook.look())

# %% [markdown]
# ## By method
#
# Compare the wage with the gross: an expensive method that grows costs more every month.

# %%
charts.flows_by_method(notebook.flows(), look=notebook.look())

# %% [markdown]
# ## By hour
#
# Look for the hours that carry the week: maintenance belongs in the pale ones.

# %%
charts.payments_by_hour(notebook.hours(), look=notebook.look())

# %% [markdown]
# ## What reached the wallet
#
# The same bars, but as the effect on the wallet, after the wage.

# %%
charts.flows_by_day(
    notebook.flows(), measure="affected", look=notebook.look()
)

# %% [markdown]
# ## The figures
#
# `cash_in` are the business's own deposits, `wallet` the adjustments of its balance.

# %%
notebook.flows()
