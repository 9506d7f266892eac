-- One row a mandate with more done payments in all than it allows in one
-- month: only these can be above it in one. Each version that may be the newest
-- counts, so a mandate is rather here than missing.
-- kept: few are sought among all payments.

with

versions as (

    select * from raw_payments_standing

),

mandates as (

    select * from stg_unified__mandates

),

uses as (

    select
        mandate_id,
        count(*) as use_count,
    from versions
    where
        status = 'done'
        and mandate_id <> ''
        and (type is null or type not in ('credit', 'card'))
    group by mandate_id

),

final as (

    select uses.mandate_id
    from uses
    inner join mandates
        on uses.mandate_id = mandates.mandate_id
    where uses.use_count > mandates.monthly_count

)

select * from final
