-- One row a kind of what the business gives, by files or as it comes in, so that the
-- provider's records can be looked up or compared: how many rows there are of it. The
-- wallet's own statement is none of the bank's.
-- kept: a night's reports and its summary ask for it, each by itself.

with

book_ends as (

    select * from int_book_ends

),

bank_lines as (

    select * from int_bank_lines

),

wallets as (

    select * from int_wallet_ibans

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

final as (

    select
        'books' as kind,
        order_count as row_count,
    from book_ends
    union all
    select
        'bank_statement' as kind,
        count(*) as row_count,
    from bank_lines
    anti join wallets
        on bank_lines.iban = wallets.wallet
    union all
    select
        'tariff' as kind,
        count(*) as row_count,
    from tariff
    union all
    select
        'events' as kind,
        count(*) as row_count,
    from events
    union all
    select
        'gateway_tokens' as kind,
        count(*) as row_count,
    from gateway_requests
    union all
    select
        'hosted_checkouts' as kind,
        count(*) as row_count,
    from hosted_requests

)

select * from final
