-- finds: a transaction that is confirmed (code 2), with no verify result
--   stored.
-- why: verify answers once; without its realAmount and wage nobody knows what
--   the wallet got.
-- do: import what the shop kept of the answer (gateway_tokens), else ask the
--   provider for the wage of this transaction.
-- severity: warning
-- product: gateway
-- record: token
-- source: document 2, States and transitions, B, rule 3.

with

payments as (

    select * from int_gateway_payments

),

final as (

    select
        token as record_id,
        trans_id as related_id,
        occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        'The payment of {'
        || coalesce(
            cast(coalesce(amount_rial, sent_amount_rial) as varchar),
            'an unknown amount'
        )
        || '} is confirmed, but its verify result is not stored.' as detail,
    from payments
    where
        code = 2
        and not is_verified

)

select * from final
