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
# # Mandates
#
# How much room do the mandates leave, when do they end, and how well do they work?

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## Room in this month's count
#
# Amber has no withdrawal left this month; orange was used beyond its count.

# %%
charts.mandate_headroom(notebook.mandates(), look=notebook.look())

# %% [markdown]
# ## Room below the limit
#
# Mandates near their limit fail when the next invoice is larger.

# %%
charts.mandate_limits(notebook.mandates(), look=notebook.look())

# %% [markdown]
# ## When they expire
#
# A high bar soon ahead is a week in which many customers must be asked again.

# %%
charts.mandate_expiry(notebook.mandates(), look=notebook.look())

# %% [markdown]
# ## Success by age
#
# A falling line means that old mandates are worth renewing before they end.

# %%
charts.mandate_success(notebook.mandate_ages(), look=notebook.look())

# %% [markdown]
# ## The figures
#
# One row a mandate; `used_this_month` counts done withdrawals of the present month.

# %%
notebook.mandates()
