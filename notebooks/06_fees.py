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
# # Fees
#
# Did the provider charge what was agreed, and which method costs what?

# %% tags=["parameters"]
config = ""  # path of recon.toml; empty: RECON_CONFIG, ./recon.toml or ../recon.toml
from_date = ""  # first business date, ISO or Jalali; empty: all that is known
to_date = ""  # last business date

# %%
# %load_ext recon
from recon import charts, notebook

notebook.use(config, from_date, to_date)

# %% [markdown]
# ## Rate by month
#
# A ring is what the imported tariff gives, a dot what was charged; orange where they
# differ. Without rings no tariff covers the month: `recon import tariff` brings one.

# %%
charts.effective_rates(notebook.fees(), look=notebook.look())

# %%
notebook.fees()

# %% [markdown]
# ## Records off the tariff
#
# Ask for the difference of these back, or import the tariff that holds by now.

# %%
notebook.breaks().query("check == 'wage_outside_tariff'")

# %% [markdown]
# ## What the wages say of themselves
#
# Where no tariff was imported, the schedule is inferred from the wages alone: `fitting` of
# `records` are exactly what it gives, of all dates, whatever the period.

# %%
notebook.model("int_fee_schedules")

# %% [markdown]
# ## Records unlike the others
#
# Wages of all dates that their inferred schedule does not give; ask the provider about the
# largest.

# %%
notebook.model("int_fee_off_schedule")
