-- One row a business date, product and payment method: what is certain. In rials.
-- `amount` is the gross of the records, `wage` their fee, `affected` the signed effect
-- on the wallet. Products without methods leave the method empty; an adjustment names
-- its kind there, and its amount is its effect.

with

movements as (

    select * from int_certain_movements

),

final as (

    select
        business_date,
        product,
        payment_method,
        count(*) as count,
        cast(coalesce(sum(amount_rial), 0) as bigint) as amount,
        cast(coalesce(sum(wage_rial), 0) as bigint) as wage,
        cast(coalesce(sum(effect_rial), 0) as bigint) as affected,
    from movements
    group by business_date, product, payment_method

)

select * from final
