-- finds: a done payment later than its mandate's revoked_at.
-- why: the customer had withdrawn the permission; the money is not the
--   business's.
-- do: pay the customer back, and ask why the provider still took the
--   withdrawal.
-- severity: critical
-- product: unified
-- record: payment id
-- source: document 3, States and transitions (revoke) and Resources, Mandate.

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
        || cast(date_diff('second', revoked_at, used_at) as varchar)
        || ' seconds} after the mandate was revoked.' as detail,
    from payments
    where
        is_done
        and used_at > revoked_at

)

select * from final
