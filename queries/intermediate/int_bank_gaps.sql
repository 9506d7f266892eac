-- One row a time between the statements of an account that none of them covers: after
-- `after_date`, a day of the one, and before `before_date`, a day of the next. A
-- statement names its entries and no days without one, so a short time may be quiet, as
-- a weekend or holidays are, and is taken to be covered: seven days, or as many as pass
-- without an entry within a statement of the account. Half a day more is allowed, for
-- the hours at which the entries beside it are booked.

with

statements as (

    select * from stg_business__bank_statements

),

reached as (

    select
        iban,
        first_at,
        first_date,
        max(last_at) over earlier as reached_at,
        max(last_date) over earlier as reached_date,
        greatest(max(longest_pause) over (partition by iban), 691200) + 43200
            as longest_pause,
    from statements
    window earlier as (
        partition by iban
        order by first_at, last_at, pull_id, page_no
        rows between unbounded preceding and 1 preceding
    )

),

final as (

    select
        iban,
        reached_date as after_date,
        first_date as before_date,
    from reached
    where date_diff('second', reached_at, first_at) > longest_pause

)

select * from final
