-- One row a hosted checkout: what was sent and what the inquiry says. In rials.
-- `waiting_since`: it began then, or was first met then, whatever its own time.
-- `fee_bearer`: who bore the wage when it was created. `paid_by`: a succeeded one
-- was paid then at the latest, when it was first seen so; within `verify_window`
-- and an hour of its creation, or a week where it was seen before it was paid.
-- When it was is not shown.

with

requests as (

    select * from stg_hosted__requests

),

checkouts as (

    select * from stg_hosted__checkouts

),

fee_bearers as (

    select *
    from stg_fee_bearers
    where product = 'hosted'

),

settings as (

    select * from stg_settings

),

met as (

    select
        id as checkout_id,
        min(seen_at) as first_seen_at,
        min(seen_at) filter (where status = 'SUCCEED') as paid_seen_at,
        count(*) filter (where status <> 'SUCCEED') > 0 as is_seen_waiting,
    from raw_hosted_checkouts
    group by id

),

joined as (

    select
        coalesce(requests.checkout_id, checkouts.checkout_id) as checkout_id,
        coalesce(
            nullif(trim(checkouts.checkout_number), ''),
            nullif(trim(requests.checkout_number), '')
        ) as checkout_number,
        requests.sent_amount_rial,
        checkouts.amount_rial,
        checkouts.wage_rial,
        checkouts.status,
        checkouts.error,
        checkouts.checkout_id is not null as is_inquired,
        checkouts.seen_at as inquired_at,
        coalesce(checkouts.created_at, requests.sent_at) as occurred_at,
        coalesce(checkouts.created_at, requests.sent_at) as begun_at,
        coalesce(
            checkouts.created_at,
            requests.sent_at,
            cast('9999-01-01 00:00:00+00' as timestamptz)
        ) as priced_at,
    from requests
    full join checkouts
        on requests.checkout_id = checkouts.checkout_id

),

final as (

    select
        joined.*,
        least(joined.begun_at, met.first_seen_at) as waiting_since,
        fee_bearers.fee_bearer,
        met.is_seen_waiting,
        case
            when joined.status = 'SUCCEED'
                then
                    least(
                        met.paid_seen_at,
                        joined.occurred_at
                        + case
                            when met.is_seen_waiting then interval 7 day
                            else
                                least(settings.verify_window_seconds, 3600)
                                * interval 1 second
                        end
                    )
        end as paid_by,
    from joined
    cross join settings
    left join met
        on joined.checkout_id = met.checkout_id
    left join fee_bearers
        on
            joined.priced_at >= fee_bearers.valid_from
            and joined.priced_at < fee_bearers.valid_until

)

select * from final
