-- One row a checkout that does not agree with its done payments, which are
-- counted and summed: `known_amount_rial` is of those that have an amount,
-- `done_amount_rial` unknown where one has none. Amounts in rials. One that is
-- paid and has one done payment of its amount agrees; so does one in another
-- status that has none.

with

checkouts as (

    select * from stg_unified__uneven_checkouts

),

final as (

    select
        checkout_id,
        status,
        amount_rial,
        occurred_at,
        done_count,
        done_amount_rial,
        known_amount_rial,
        done_payment_ids,
    from checkouts
    where
        is_known
        and not agrees

)

select * from final
