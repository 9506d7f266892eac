-- One row a term: a span of time in which an IBAN was the wallet's. As the settings
-- say; an empty one is any, and one that follows itself has one term. Where they name
-- one IBAN and no day of a change, it may have been put in another's place: one whose
-- snapshots all lie before its first was the wallet's before it. Of those that
-- interleave, with it or with one another, nobody knows that.

with

named as (

    select
        upper(replace(wallet, ' ', '')) as wallet,
        valid_from,
        valid_until,
    from stg_wallet_ibans

),

begun as (

    select
        wallet,
        valid_from,
        max(valid_until) over () as last_until,
    from named
    qualify wallet is distinct from lag(wallet) over (order by valid_from)

),

dated as (

    select
        wallet,
        valid_from,
        coalesce(lead(valid_from) over (order by valid_from), last_until)
            as valid_until,
    from begun

),

reach as (

    select
        wallet,
        min(snapshot_at) as first_at,
        max(snapshot_at) as last_at,
        count(*) as snapshots,
    from int_balance_snapshots
    group by wallet

),

counted as (

    select
        wallet,
        count(*) over () as terms,
    from named

),

own as (

    select reach.first_at
    from reach
    inner join counted
        on reach.wallet = counted.wallet
    where counted.terms = 1

),

-- one snapshot alone has no interval that would be lost
earlier as (

    select
        reach.wallet,
        reach.first_at,
        reach.last_at,
        own.first_at as ends_at,
    from reach
    cross join own
    where
        reach.last_at < own.first_at
        and reach.snapshots > 1

),

-- each meets itself
alone as (

    select earlier.wallet
    from earlier
    inner join earlier as others
        on
            earlier.first_at <= others.last_at
            and earlier.last_at >= others.first_at
    group by earlier.wallet
    having count(*) = 1

),

final as (

    select
        wallet,
        valid_from,
        valid_until,
    from dated
    union all
    select
        earlier.wallet,
        earlier.first_at as valid_from,
        earlier.ends_at as valid_until,
    from earlier
    inner join alone
        on earlier.wallet = alone.wallet

)

select * from final
