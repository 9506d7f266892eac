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
# # The wallet
#
# Does the wallet hold what all known movements lead to, and what explains it where not?

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## From opening to closing
#
# The steps lead from the first balance to the last one; orange is what nothing explains.

# %%
charts.wallet_waterfall(notebook.rollforward(), look=notebook.look())

# %% [markdown]
# ## From snapshot to snapshot
#
# Look for orange: the interval in which the rest appeared is where to search.

# %%
charts.wallet_rollforward(notebook.rollforward(), look=notebook.look())

# %%
notebook.rollforward()

# %% [markdown]
# ## What explains a difference
#
# Each row is an item that may have landed in the interval that ends at `to_at`. Solution 1
# is the one that counts; where there are more, several sets of items fit equally well.

# %%
notebook.explanations()

# %% [markdown]
# ## In words
#
# The roll-forward's own account of every interval with a difference.

# %%
notebook.differences()
