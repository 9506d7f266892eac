-- finds: a done payment later than its mandate's expires_at.
-- why: the permission had ended; the customer can ask the money back.
-- do: pay back or ask the customer for a new mandate, and stop using this one.
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
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The payment of {'
        || coalesce(cast(amount_rial as varchar), 'an unknown amount')
        || '} was done {'
        || cast(date_diff('second', expires_at, used_at) as varchar)
        || ' seconds} after the mandate expired.' as detail,
    from payments
    where
        is_done
        and used_at > expires_at

)

select * from final
