-- One row a time that a statement of a bank account spans whose own balances contradict
-- it, so that entries of it are missing or wrong: in whatever order its entries are put,
-- more balances are found than the first one that none of them leaves; or those of its
-- entries do not lead from its opening balance to its closing one (it has a row without a
-- balance). One that another statement of the account spans, which adds up, is none, nor
-- is one of which other statements have what is missing: all entries of the account then
-- lead from its first balance to its last. Where a date has an entry that came without a
-- balance, the entries after it may begin anew. A column of other figures contradicts
-- most entries, and is no balance.

with

entries as (

    select * from raw_bank_balances

),

settings as (

    select * from stg_settings

),

marks as (

    select
        pull_id,
        page_no,
        statement,
    from raw_bank_balances
    where balance is null
    group by pull_id, page_no, statement

),

told as (

    select
        pull_id,
        page_no,
        statement,
    from stg_business__bank_balances
    group by pull_id, page_no, statement

),

balances as (

    select * from int_bank_balances

),

account_ends as (

    select
        chain_no,
        balance_rial - amount_rial as at_rial,
        1 as found_more,
    from balances
    union all
    select
        chain_no,
        balance_rial as at_rial,
        -1 as found_more,
    from balances

),

account_uneven as (

    select
        chain_no,
        sum(found_more) as begin_count,
    from account_ends
    group by chain_no, at_rial
    having sum(found_more) > 0

),

lacking as (

    select chain_no
    from account_uneven
    group by chain_no
    having sum(begin_count) > 1

),

chains as (

    select
        balances.iban,
        balances.booked_date,
        balances.chain_no,
        max(case when lacking.chain_no is null then 0 else 1 end) as is_lacking,
    from balances
    left join lacking
        on balances.chain_no = lacking.chain_no
    group by balances.iban, balances.booked_date, balances.chain_no

),

dated as (

    select
        upper(replace(entries.iban, ' ', '')) as iban,
        entries.pull_id,
        entries.page_no,
        entries.statement,
        entries.balance - entries.amount as found_rial,
        entries.balance as left_rial,
        cast(entries.booked_at at time zone settings.timezone as date)
            as booked_date,
    from entries
    cross join settings
    where
        entries.iban is not null
        and entries.balance is not null
        and entries.amount is not null
        and entries.booked_at is not null

),

spans as (

    select
        dated.iban,
        dated.pull_id,
        dated.page_no,
        dated.statement,
        min(dated.booked_date) as first_date,
        max(dated.booked_date) as last_date,
        count(*) as entry_count,
        greatest(count(distinct chains.chain_no), 1) as chain_count,
        max(chains.is_lacking) as is_lacking,
    from dated
    left join chains
        on
            dated.iban = chains.iban
            and dated.booked_date = chains.booked_date
    group by dated.iban, dated.pull_id, dated.page_no, dated.statement

),

ends as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        found_rial as at_rial,
        1 as found_more,
    from dated
    union all
    select
        iban,
        pull_id,
        page_no,
        statement,
        left_rial as at_rial,
        -1 as found_more,
    from dated

),

uneven as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        sum(found_more) as begin_count,
    from ends
    group by iban, pull_id, page_no, statement, at_rial
    having sum(found_more) > 0

),

begun as (

    select
        iban,
        pull_id,
        page_no,
        statement,
        sum(begin_count) as begin_count,
    from uneven
    group by iban, pull_id, page_no, statement

),

proven as (

    select spans.*
    from spans
    semi join told
        on
            spans.pull_id = told.pull_id
            and spans.page_no = told.page_no
            and spans.statement = told.statement

),

jumping as (

    select proven.*
    from proven
    inner join begun
        on
            proven.iban = begun.iban
            and proven.pull_id = begun.pull_id
            and proven.page_no = begun.page_no
            and proven.statement = begun.statement
    where
        proven.is_lacking = 1
        and begun.begin_count > proven.chain_count
        and proven.entry_count > 2 * (begun.begin_count - proven.chain_count)

),

unsound as (

    select * from jumping
    union all
    select spans.*
    from spans
    semi join marks
        on
            spans.pull_id = marks.pull_id
            and spans.page_no = marks.page_no
            and spans.statement = marks.statement

),

sound as (

    select proven.*
    from proven
    anti join jumping
        on
            proven.iban = jumping.iban
            and proven.pull_id = jumping.pull_id
            and proven.page_no = jumping.page_no
            and proven.statement = jumping.statement

),

final as (

    select distinct
        unsound.iban,
        unsound.first_date,
        unsound.last_date,
    from unsound
    anti join sound
        on
            unsound.iban = sound.iban
            and unsound.first_date >= sound.first_date
            and unsound.last_date <= sound.last_date

)

select * from final
