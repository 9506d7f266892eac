-- One row a time between the statements of an account that none of them covers: after
-- `after_date`, a day of the one, and before `before_date`, a day of the next. A
-- statement names its entries and no days without one, so a short time may be quiet, as
-- a weekend or holidays are, and is taken to be covered: seven dates, or as many as
-- pass without an entry within a statement of the account.

with

statements as (

    select * from stg_business__bank_statements

),

reached as (

    select
        iban,
        first_date,
        first_day,
        max(last_date) over earlier as reached_date,
        max(last_day) over earlier as reached_day,
        greatest(max(longest_pause) over (partition by iban), 8) as longest_pause,
    from statements
    window earlier as (
        partition by iban
        order by first_day, last_day, pull_id, page_no
        rows between unbounded preceding and 1 preceding
    )

),

final as (

    select
        iban,
        reached_date as after_date,
        first_date as before_date,
    from reached
    where first_day - reached_day > longest_pause

)

select * from final
