-- One row a line of the tariff. Amounts in rials.
-- The newest file that has a key holds all rows of that key.

with

versions as (

    select * from raw_tariff_standing

),

newest as (

    select *
    from versions
    qualify dense_rank() over (
        partition by product, payment_method, valid_from
        order by pull_id desc, page_no desc
    ) = 1

),

final as (

    select
        product,
        payment_method,
        rate_bps,
        fixed as fixed_rial,
        minimum as minimum_rial,
        maximum as maximum_rial,
        valid_from,
        pull_id,
        page_no,
        position,
        seen_at,
    from newest

)

select * from final
