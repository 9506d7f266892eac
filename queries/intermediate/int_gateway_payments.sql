-- One row a gateway token: what was sent, what the provider says of it, and the
-- verify result that was kept. Amounts in rials. `record_id` is the transId;
-- the token where there is none, or where an earlier token has the same
-- transId, so that two tokens never share it. `fee_bearer`: who bore the wage
-- when it was sent. `gross_rial` is what the buyer paid: as the provider says, else as
-- the verify result has it, else as it was sent.

with

requests as (

    select * from stg_gateway__requests

),

transactions as (

    select * from stg_gateway__transactions

),

fee_bearers as (

    select *
    from stg_fee_bearers
    where product = 'gateway'

),

joined as (

    select
        coalesce(requests.token, transactions.token) as token,
        nullif(trim(transactions.trans_id), '') as trans_id,
        nullif(trim(transactions.refnumber), '') as refnumber,
        coalesce(
            nullif(trim(transactions.factor_number), ''),
            nullif(trim(requests.factor_number), '')
        ) as factor_number,
        requests.sent_amount_rial,
        requests.sent_at,
        transactions.token is not null as is_looked_up,
        transactions.seen_at as looked_up_at,
        transactions.amount_rial,
        transactions.created_at,
        transactions.code,
        transactions.error,
        requests.real_amount_rial,
        requests.wage_rial,
        requests.verified_at,
        requests.real_amount_rial is not null
        or requests.wage_rial is not null
        or requests.verified_at is not null as is_verified,
        coalesce(
            transactions.payment_date, transactions.created_at, requests.sent_at
        ) as occurred_at,
        -- it began no later than it was read, whatever its own time
        least(
            coalesce(
                requests.sent_at,
                transactions.created_at,
                transactions.payment_date
            ),
            transactions.seen_at
        ) as waiting_since,
        coalesce(
            requests.sent_at,
            transactions.created_at,
            transactions.payment_date,
            cast('9999-01-01 00:00:00+00' as timestamptz)
        ) as priced_at,
    from requests
    full join transactions
        on requests.token = transactions.token

),

final as (

    select
        joined.*,
        fee_bearers.fee_bearer,
        coalesce(
            joined.amount_rial,
            joined.real_amount_rial + coalesce(joined.wage_rial, 0),
            joined.sent_amount_rial
            + case
                when fee_bearers.fee_bearer = 'customer'
                    then coalesce(joined.wage_rial, 0)
                else 0
            end
        ) as gross_rial,
        case
            when joined.trans_id is null then joined.token
            when
                row_number() over (
                    partition by joined.trans_id
                    order by joined.token
                )
                > 1
                then joined.trans_id || ':' || joined.token
            else joined.trans_id
        end as record_id,
    from joined
    left join fee_bearers
        on
            joined.priced_at >= fee_bearers.valid_from
            and joined.priced_at < fee_bearers.valid_until

)

select * from final
