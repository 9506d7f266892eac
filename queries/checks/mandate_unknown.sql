-- finds: a debit payment whose mandate was never seen, though the mandates were
--   read whole after the payment, or which names none.
-- why: money was taken from a customer's account, and no permission is known
--   for it.
-- do: ask the provider for the mandate; if there is none, pay the customer
--   back.
-- severity: error
-- product: unified
-- record: payment id
-- source: document 3, Resources and their fields, Payment (debit) and Mandate.
-- false alarm: the payment tells no time, and the mandates were pulled before
--   its mandate was made; the next pull brings it. Nothing is said before the
--   mandates were first read whole.

with

payments as (

    select * from int_mandate_misuses

),

readings as (

    select known_at
    from int_source_readings
    where
        source = 'mandates'
        and known_at is not null

),

final as (

    select
        payments.payment_id as record_id,
        payments.mandate_id as related_id,
        payments.used_at as occurred_at,
        cast(null as bigint) as expected,
        cast(null as bigint) as actual,
        case
            when payments.mandate_id is null
                then 'The debit payment names no mandate'
            else 'The mandate of the debit payment was never seen'
        end
        || '; its amount is {'
        || coalesce(cast(payments.amount_rial as varchar), 'unknown')
        || '}.' as detail,
    from payments
    cross join readings
    where
        not payments.is_mandate_known
        -- it was made no later than it was first read, whatever its own time
        and (
            payments.mandate_id is null
            or payments.used_at is null
            or least(payments.used_at, payments.seen_at) <= readings.known_at
        )

)

select * from final
