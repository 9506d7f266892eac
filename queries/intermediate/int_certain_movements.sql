-- One row a certain movement of the wallet, with what its record says of it. In rials.
-- A record that names no fee has none.
-- streamed: each reader takes a few columns of very many rows.

with

movements as (

    select * from int_wallet_movements
    where certainty = 'certain'

),

final as (

    select
        movement_id,
        product,
        record_id,
        occurred_at,
        business_date,
        payment_method,
        amount_rial,
        coalesce(wage_rial, 0) as wage_rial,
        fee_bearer,
        effect_rial,
        iban,
        description,
    from movements

)

select * from final
