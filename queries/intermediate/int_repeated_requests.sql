-- One row a request_id that two or more checkouts may have, by its hash without spaces
-- at its ends; none that is blank.
-- kept: few are sought among all checkouts.

with

-- most have no space of any kind at an end: to trim all costs more than to group them
checkouts as (

    select
        case
            when
                request_id < '!'
                or request_id like '% '
                or bit_length(request_id) <> 8 * length(request_id)
                then nullif(trim(request_id), '')
            else request_id
        end as request_id,
    from stg_unified__checkouts

),

hashed as (

    select hash(request_id) as request_hash
    from checkouts
    where request_id is not null

),

final as (

    select request_hash
    from hashed
    group by request_hash
    having count(*) > 1

)

select * from final
