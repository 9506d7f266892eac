-- One row a product: what happened until `known_at` was read of it, whole. What was
-- sent later than the newest known token or id, or came later, was not looked up.

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
    from tokens
    union all
    select
        'hosted' as product,
        max(seen_at) as known_at,
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
    from known
    group by product

)

select * from final
