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
# # Escrow
#
# What is held for others, for how long, and where is a dispute?

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## Held over time
#
# A line that only rises means that trades are paid and not finalized.

# %%
charts.escrow_held(notebook.held(), look=notebook.look())

# %% [markdown]
# ## How long it has been held
#
# Look at the lowest bars: what is old is forgotten or disputed.

# %%
charts.escrow_ageing(notebook.escrow(), look=notebook.look())

# %% [markdown]
# ## Trades with money held
#
# The longest held come first; `held` is what the buyer paid less refunds and payouts.
# Last come those below zero, of which more went out than came in.

# %%
notebook.escrow().query("held != 0").sort_values("held_days", ascending=False)

# %% [markdown]
# ## Disputes and other breaks of escrow
#
# Start with payouts and refunds that are missing: there money is late.

# %%
notebook.breaks().query("product == 'escrow'")
