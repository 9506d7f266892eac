-- One row a checkout whose payments need a closer look: all but those that list
-- every payment that names them, and whose status and amount agree with the
-- done ones of these.
-- kept: few are sought among all checkouts and payments.

with

payments as (

    select
        checkout_id,
        payment_id,
        amount_rial,
        coalesce(status = 'done', false) as is_done,
    from stg_unified__met_payments

),

listing as (

    select *, array_to_string(payment_ids, ' ') as listed
    from stg_unified__checkouts

),

-- lists are slow to join: of most checkouts the one id that they list will do
checkouts as (

    select
        checkout_id,
        amount_rial,
        coalesce(status = 'paid', false) as is_paid,
        case
            when listed = '' or listed like '% %' then payment_ids
        end as several_ids,
        case
            when listed <> '' and listed not like '% %' then listed
        end as only_id,
    from listing

),

compared as (

    select
        coalesce(checkouts.checkout_id, payments.checkout_id) as checkout_id,
        checkouts.is_paid,
        payments.is_done,
        payments.amount_rial = checkouts.amount_rial as is_of_amount,
        checkouts.only_id is not null as lists_one,
        payments.checkout_id is null as is_named_by_none,
        coalesce(
            checkouts.only_id = payments.payment_id,
            list_contains(checkouts.several_ids, payments.payment_id),
            false
        ) as is_listed,
    from payments
    full join checkouts
        on payments.checkout_id = checkouts.checkout_id

),

-- nearly all list one payment and agree with it: only the others are counted
others as (

    select *
    from compared
    where
        not coalesce(
            case
                when is_named_by_none then not is_paid
                when not (is_listed and lists_one) then false
                when is_done then is_paid and is_of_amount
                else not is_paid
            end,
            false
        )

),

final as (

    select checkout_id
    from others
    group by checkout_id, is_paid
    having
        count(*) filter (where not is_listed) > 0
        or case
            when is_paid
                then
                    count(*) filter (where is_done) <> 1
                    or count(*) filter (where is_done and is_of_amount) <> 1
            else count(*) filter (where is_done) > 0
        end

)

select * from final
