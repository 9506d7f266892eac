-- One row a product: what happened until `known_at` was read of it, whole. What was
-- sent later than the newest known token or id, or came later, was not looked up.
-- `is_behind`: since then a pull could not read it whole.

with

commits as (

    select * from raw_commits

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
        max(seen_at) as known_at,
        false as is_behind,
    from tokens
    union all
    select
        'hosted' as product,
        max(seen_at) as known_at,
        false as is_behind,
    from hosted_requests
    union all
    select
        case source
            when 'checkouts' then 'unified'
            when 'agreements' then 'escrow'
            when 'gateway_transactions' then 'gateway'
            else 'hosted'
        end as product,
        max(started_at) filter (where complete) as known_at,
        max(started_at) > max(started_at) filter (where complete)
            as is_behind,
    from commits
    where
        kind = 'pull'
        and source in (
            'checkouts', 'agreements', 'gateway_transactions',
            'hosted_checkouts'
        )
    group by source

),

final as (

    select
        product,
        min(known_at) as known_at,
        max(case when is_behind then 1 else 0 end) = 1 as is_behind,
    from known
    group by product

)

select * from final
