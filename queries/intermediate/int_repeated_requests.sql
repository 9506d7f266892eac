-- One row a request_id that two or more checkouts may have, by its hash; none that
-- is blank.
-- kept: few are sought among all checkouts.

with

-- what begins with a letter or digit is not blank: to trim all costs as much as to
-- group them
checkouts as (

    select
        case
            when
                case
                    when request_id between '!' and '~' then true
                    else trim(request_id) <> ''
                end
                then hash(request_id)
        end as request_hash,
    from stg_unified__checkouts

),

final as (

    select request_hash
    from checkouts
    where request_hash is not null
    group by request_hash
    having count(*) > 1

)

select * from final
