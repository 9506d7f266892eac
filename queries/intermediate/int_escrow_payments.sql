-- One row a payment of the buyer, as corroborated events tell it. Amounts in rials. One
-- receipt of an agreement is one payment, of the first amount that an event says; of an
-- event without a receipt its data are that. `first_paid_at` and `first_paid_by` are of
-- the agreement, whichever event is taken.

with

events as (

    select * from int_escrow_events
    where
        is_corroborated
        and event_type = 'buyer_paid_agreement'

),

final as (

    select
        tracking_code,
        receipt,
        amount_rial,
        told_at,
        min(occurred_at) over (partition by tracking_code) as first_paid_at,
        min(told_at) over (partition by tracking_code) as first_paid_by,
    from events
    qualify row_number() over (
        partition by tracking_code, coalesce(receipt, data)
        order by
            case when amount_rial is null then 1 else 0 end,
            occurred_at,
            data
    ) = 1

)

select * from final
