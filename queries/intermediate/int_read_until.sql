-- One row a product: what happened until `known_at` was read of it, whole. What was
-- sent later than the newest known token or id, or came later, was not looked up: a file
-- of these may be imported long after it ends, and may date one ahead. What is known is
-- as it was at `read_at`. `is_behind`: the newest pull could not read it whole;
-- `whole_until` is then as in int_source_readings.

with

readings as (

    select * from int_source_readings

),

tokens as (

    select * from stg_gateway__requests

),

hosted_requests as (

    select * from stg_hosted__requests

),

known as (

    select
        'gateway' as product,
        max(least(sent_at, seen_at)) as known_at,
        cast(null as timestamptz) as read_at,
        false as is_behind,
        cast(null as timestamptz) as whole_until,
    from tokens
    union all
    select
        'hosted' as product,
        max(least(sent_at, seen_at)) as known_at,
        cast(null as timestamptz) as read_at,
        false as is_behind,
        cast(null as timestamptz) as whole_until,
    from hosted_requests
    union all
    select
        case source
            when 'checkouts' then 'unified'
            when 'agreements' then 'escrow'
            when 'gateway_transactions' then 'gateway'
            else 'hosted'
        end as product,
        known_at,
        known_at as read_at,
        is_behind,
        whole_until,
    from readings
    where
        source in (
            'checkouts', 'agreements', 'gateway_transactions',
            'hosted_checkouts'
        )

),

final as (

    select
        product,
        min(known_at) as known_at,
        max(read_at) as read_at,
        max(case when is_behind then 1 else 0 end) = 1 as is_behind,
        min(whole_until) as whole_until,
    from known
    group by product

)

select * from final
