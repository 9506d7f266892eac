-- One row a balance of a bank account that no entry before it left (`step` -1: an entry
-- found it at `booked_at`), or that no later one finds (`step` 1: an entry left it).
-- Of equal balances an entry finds the one that was left last. So the balance of the
-- beginning is here, and that of the end, and two of each place at which entries are
-- missing. Within an instant nobody knows the order: what is left then is found then,
-- but for entries of nothing, which find what they leave: those of an instant are one.

with

balances as (

    select * from int_bank_balances

),

of_nothing as (

    select
        iban,
        balance_rial as at_rial,
        booked_at,
        booked_date,
    from balances
    where amount_rial = 0
    group by iban, balance_rial, booked_at, booked_date

),

steps as (

    select
        iban,
        balance_rial - amount_rial as at_rial,
        booked_at,
        booked_date,
        -1 as step,
        3 as turn,
    from balances
    where amount_rial <> 0
    union all
    select
        iban,
        balance_rial as at_rial,
        booked_at,
        booked_date,
        1 as step,
        0 as turn,
    from balances
    where amount_rial <> 0
    union all
    select
        iban,
        at_rial,
        booked_at,
        booked_date,
        -1 as step,
        1 as turn,
    from of_nothing
    union all
    select
        iban,
        at_rial,
        booked_at,
        booked_date,
        1 as step,
        2 as turn,
    from of_nothing

),

-- how many more were left than found
levels as (

    select
        *,
        sum(step) over (
            partition by iban, at_rial
            order by booked_at, turn
            rows between unbounded preceding and current row
        ) as level,
    from steps

),

compared as (

    select
        *,
        min(level) over (
            partition by iban, at_rial
            order by booked_at, turn, step * level
            rows between unbounded preceding and 1 preceding
        ) as lowest_before,
        min(level) over (
            partition by iban, at_rial
            order by booked_at, turn, step * level
            rows between 1 following and unbounded following
        ) as lowest_after,
    from levels

),

final as (

    select
        iban,
        at_rial,
        booked_at,
        booked_date,
        step,
    from compared
    where
        (step = -1 and level < least(coalesce(lowest_before, 0), 0))
        or (step = 1 and level <= coalesce(lowest_after, level))

)

select * from final
