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
# # Breaks
#
# What is open, how loud, since when, and what stands behind it? Name a `break_id` from
# the table below to see its evidence; empty shows that of the loudest check.

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date
break_id = ""  # a break of the table below; empty: one of the loudest check

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## What to do first
#
# Work from the top: the loudest check comes first, with what its rule advises.

# %%
notebook.verdict()

# %% [markdown]
# ## By check
#
# Look for one long bar: many breaks of one kind usually have one cause.

# %%
charts.breaks_by_check(notebook.breaks(), look=notebook.look())

# %% [markdown]
# ## By age
#
# Look for what is old: what has been open for weeks was not decided by anyone.

# %%
charts.breaks_by_age(notebook.breaks(), look=notebook.look())

# %% [markdown]
# ## All of them
#
# Sort by difference to find the most money, by `first_seen` to find the newest. A status
# of `gone` was open at the run before and is no longer found.

# %%
notebook.breaks()

# %% [markdown]
# ## The evidence of one
#
# The rule that found it, the records it names, and the provider's answers as they were
# stored.

# %%
notebook.evidence(break_id)
