-- One row a place at which the balance of a bank account jumps: an entry leaves it at
-- what no other one finds, and the next such entry finds what none leaves. The entries
-- between come to `missing_rial`, signed, and no file has them. Where the entries go
-- from balance to balance but between statements, in the order of their times and in
-- any order of one time, it is as they stand. Else an entry may be dated back: each goes
-- from a balance to a balance, and all together go from the first one to the last,
-- whatever their times are. That is taken where the account then jumps but between
-- statements, and each time on to a later entry; or else as they stand. Places that share
-- an instant are one, of `jump_count`: nobody knows which entry of it stands before
-- which.
-- kept: the steps of its reader name it three times, and it is long to plan.

with

statements as (

    select
        iban,
        min(booked_at) as first_at,
        max(booked_at) as last_at,
    from stg_business__bank_balances
    group by iban, pull_id, page_no, statement

),

balances as (

    select * from int_bank_balances

),

instants as (

    select * from int_bank_instants

),

neighbours as (

    select
        iban,
        chain_no,
        booked_at as after_at,
        booked_date as after_date,
        left_rial as after_rial,
        lead(booked_at) over by_time as before_at,
        lead(booked_date) over by_time as before_date,
        lead(found_rial) over by_time as before_rial,
    from instants
    window by_time as (
        partition by chain_no
        order by booked_at
    )

),

parted as (

    select
        iban,
        chain_no,
        after_at,
        after_date,
        before_at,
        before_date,
        before_rial - after_rial as missing_rial,
        1 as jump_count,
    from neighbours
    where after_rial <> before_rial
    union all
    select
        iban,
        chain_no,
        booked_at as after_at,
        booked_date as after_date,
        booked_at as before_at,
        booked_date as before_date,
        left_rial - found_rial - amount_rial as missing_rial,
        path_count - 1 as jump_count,
    from instants
    where path_count > 1

),

-- those with such a place within a statement
unordered as (

    select parted.chain_no
    from parted
    inner join statements
        on
            parted.iban = statements.iban
            and parted.after_at >= statements.first_at
            and parted.before_at <= statements.last_at

),

unordered_balances as (

    select balances.*
    from balances
    semi join unordered
        on balances.chain_no = unordered.chain_no

),

-- of equal balances the first ones that are found and the last ones that are left are
-- those at the ends
opens as (

    select
        chain_no,
        booked_at,
        booked_date,
        balance_rial - amount_rial as at_rial,
        row_number() over (
            partition by chain_no, balance_rial - amount_rial
            order by booked_at desc
        ) as nth,
    from unordered_balances

),

closes as (

    select
        iban,
        chain_no,
        booked_at,
        booked_date,
        balance_rial as at_rial,
        row_number() over (
            partition by chain_no, balance_rial
            order by booked_at
        ) as nth,
    from unordered_balances

),

found as (

    select
        opens.*,
        row_number() over (
            partition by opens.chain_no
            order by opens.booked_at, opens.at_rial
        ) as place,
    from opens
    anti join closes
        on
            opens.chain_no = closes.chain_no
            and opens.at_rial = closes.at_rial
            and opens.nth = closes.nth

),

lefts as (

    select
        closes.*,
        row_number() over (
            partition by closes.chain_no
            order by closes.booked_at, closes.at_rial
        ) as place,
    from closes
    anti join opens
        on
            closes.chain_no = opens.chain_no
            and closes.at_rial = opens.at_rial
            and closes.nth = opens.nth

),

-- the first balance that is found is that of the beginning, but where the last one of
-- all is equal to it
rounds as (

    select
        found.chain_no,
        case when lefts.booked_at < found.booked_at then 0 else 1 end as skipped,
    from found
    inner join lefts
        on
            found.chain_no = lefts.chain_no
            and found.place = lefts.place
    where found.place = 1

),

reordered as (

    select
        lefts.iban,
        lefts.chain_no,
        lefts.booked_at as after_at,
        lefts.booked_date as after_date,
        found.booked_at as before_at,
        found.booked_date as before_date,
        found.at_rial - lefts.at_rial as missing_rial,
        1 as jump_count,
    from lefts
    inner join rounds
        on lefts.chain_no = rounds.chain_no
    inner join found
        on
            lefts.chain_no = found.chain_no
            and lefts.place + rounds.skipped = found.place

),

-- no order either
unsound as (

    select chain_no
    from reordered
    where after_at > before_at
    union all
    select reordered.chain_no
    from reordered
    inner join statements
        on
            reordered.iban = statements.iban
            and reordered.after_at >= statements.first_at
            and reordered.before_at <= statements.last_at

),

dated_back as (

    select unordered.chain_no
    from unordered
    anti join unsound
        on unordered.chain_no = unsound.chain_no

),

jumps as (

    select parted.*
    from parted
    anti join dated_back
        on parted.chain_no = dated_back.chain_no
    union all
    select reordered.*
    from reordered
    semi join dated_back
        on reordered.chain_no = dated_back.chain_no

),

marked as (

    select
        *,
        case
            when
                after_at = lag(after_at) over by_time
                or before_at = lag(before_at) over by_time
                then 0
            else 1
        end as is_apart,
    from jumps
    window by_time as (
        partition by chain_no
        order by after_at, before_at
    )

),

joined as (

    select
        *,
        sum(is_apart) over (
            partition by chain_no
            order by after_at, before_at
            rows between unbounded preceding and current row
        ) as jump_no,
    from marked

),

final as (

    select
        iban,
        chain_no,
        min(after_at) as after_at,
        min(after_date) as after_date,
        max(before_at) as before_at,
        max(before_date) as before_date,
        cast(sum(missing_rial) as bigint) as missing_rial,
        cast(sum(jump_count) as bigint) as jump_count,
    from joined
    group by iban, chain_no, jump_no

)

select * from final
