-- One row an adjustment of the wallet; signed rials, its effect.
-- The n-th identical row of a later file is the n-th of an earlier one.

with

versions as (

    select * from raw_adjustments

),

numbered as (

    select
        *,
        row_number() over (
            partition by record_hash, pull_id, page_no
            order by position
        ) as nth
    from versions

),

earliest as (

    select *
    from numbered
    qualify row_number() over (
        partition by record_hash, nth
        order by pull_id, page_no
    ) = 1

),

final as (

    select
        "at" as occurred_at,
        amount as amount_rial,
        kind,
        description,
        nth,
        record_hash,
        pull_id,
        page_no,
        position,
        seen_at,
    from earliest

)

select * from final
