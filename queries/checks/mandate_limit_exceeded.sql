-- finds: a done debit payment above the limit of its mandate.
-- why: more was taken than the customer allowed for one withdrawal; they can
--   ask it back.
-- do: pay the excess back, or have the customer grant a higher limit.
-- severity: critical
-- product: unified
-- record: payment id
-- source: document 3, Limits, 1.

with

payments as (

    select * from int_mandate_misuses

),

final as (

    select
        payment_id as record_id,
        mandate_id as related_id,
        used_at as occurred_at,
        limit_rial as expected,
        amount_rial as actual,
        'The payment of {'
        || cast(amount_rial as varchar)
        || '} is above the limit of {'
        || cast(limit_rial as varchar)
        || '} a withdrawal.' as detail,
    from payments
    where
        is_done
        and amount_rial > limit_rial

)

select * from final
