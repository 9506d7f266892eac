-- One row a paid record of the provider that is more than two days from every order in
-- time: before the first or after the last one. None where no order has a time.
-- streamed: each reader takes a few columns of very many rows.

with

records as (

    select * from int_provider_records

),

book_ends as (

    select * from int_book_ends

),

settings as (

    select * from stg_settings

),

final as (

    select
        records.product,
        records.record_id,
        records.reference,
        records.other_reference,
    from records
    cross join book_ends
    cross join settings
    where
        records.is_paid
        and (
            records.occurred_at < book_ends.near_from_at
            or (
                records.occurred_at > book_ends.near_until_at
                and records.occurred_at <= settings.as_of
            )
        )

)

select * from final
