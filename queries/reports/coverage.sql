-- One row a kind of what the business gives, by files or as it comes in, so that the
-- provider's records can be looked up or compared: how many rows it has, and the
-- business dates from which to which books and bank statements reach; null where none
-- of their rows has a time. The wallet's own statement is none of the bank's.

with

book_ends as (

    select * from int_book_ends

),

bank_lines as (

    select * from int_bank_lines

),

wallets as (

    select distinct wallet from int_wallet_snapshots

),

tariff as (

    select * from stg_business__tariff

),

events as (

    select * from stg_escrow__events

),

gateway_requests as (

    select * from stg_gateway__requests

),

hosted_requests as (

    select * from stg_hosted__requests

),

ends as (

    select
        'books' as kind,
        order_count as row_count,
        first_at,
        last_at,
    from book_ends
    union all
    select
        'bank_statement' as kind,
        count(*) as row_count,
        min(bank_lines.booked_at) as first_at,
        max(bank_lines.booked_at) as last_at,
    from bank_lines
    anti join wallets
        on bank_lines.iban = wallets.wallet
    union all
    select
        'tariff' as kind,
        count(*) as row_count,
        cast(null as timestamptz) as first_at,
        cast(null as timestamptz) as last_at,
    from tariff
    union all
    select
        'events' as kind,
        count(*) as row_count,
        cast(null as timestamptz) as first_at,
        cast(null as timestamptz) as last_at,
    from events
    union all
    select
        'gateway_tokens' as kind,
        count(*) as row_count,
        cast(null as timestamptz) as first_at,
        cast(null as timestamptz) as last_at,
    from gateway_requests
    union all
    select
        'hosted_checkouts' as kind,
        count(*) as row_count,
        cast(null as timestamptz) as first_at,
        cast(null as timestamptz) as last_at,
    from hosted_requests

),

settings as (

    select * from stg_settings

),

final as (

    select
        ends.kind,
        ends.row_count,
        case
            when ends.first_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when ends.first_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    ends.first_at at time zone settings.timezone as date
                )
            when ends.first_at is not null then cast('9999-12-31' as date)
        end as first_date,
        case
            when ends.last_at < cast('0001-01-02 00:00:00+00' as timestamptz)
                then cast('0001-01-01' as date)
            when ends.last_at < cast('9999-12-31 00:00:00+00' as timestamptz)
                then cast(
                    ends.last_at at time zone settings.timezone as date
                )
            when ends.last_at is not null then cast('9999-12-31' as date)
        end as last_date,
    from ends
    cross join settings

)

select * from final
