-- One row a place at which the balance of a bank account jumps: an entry leaves it at
-- what no other one finds, and the next such entry finds what none leaves. The entries
-- between come to `missing_rial`, signed, and no file has them. Neither the order of the
-- rows in a file nor that of the files counts: each entry goes from a balance to a
-- balance, and all together go from the first one to the last. Where a place has its
-- `before_at` ahead of its `after_at`, the balances of the account are no such chain.

with

balances as (

    select * from int_bank_balances

),

-- of equal balances the first ones that are found and the last ones that are left are
-- those at the ends
opens as (

    select
        iban,
        booked_at,
        booked_date,
        balance_rial - amount_rial as at_rial,
        row_number() over (
            partition by iban, balance_rial - amount_rial
            order by booked_at desc
        ) as nth,
    from balances

),

closes as (

    select
        iban,
        booked_at,
        booked_date,
        balance_rial as at_rial,
        row_number() over (
            partition by iban, balance_rial
            order by booked_at
        ) as nth,
    from balances

),

found as (

    select
        opens.*,
        row_number() over (
            partition by opens.iban
            order by opens.booked_at, opens.at_rial
        ) as place,
    from opens
    anti join closes
        on
            opens.iban = closes.iban
            and opens.at_rial = closes.at_rial
            and opens.nth = closes.nth

),

lefts as (

    select
        closes.*,
        row_number() over (
            partition by closes.iban
            order by closes.booked_at, closes.at_rial
        ) as place,
    from closes
    anti join opens
        on
            closes.iban = opens.iban
            and closes.at_rial = opens.at_rial
            and closes.nth = opens.nth

),

-- the first balance that is found is that of the beginning, but where the last one of
-- all is equal to it
rounds as (

    select
        found.iban,
        case when lefts.booked_at < found.booked_at then 0 else 1 end as skipped,
    from found
    inner join lefts
        on
            found.iban = lefts.iban
            and found.place = lefts.place
    where found.place = 1

),

final as (

    select
        lefts.iban,
        lefts.booked_at as after_at,
        lefts.booked_date as after_date,
        found.booked_at as before_at,
        found.booked_date as before_date,
        found.at_rial - lefts.at_rial as missing_rial,
    from lefts
    inner join rounds
        on lefts.iban = rounds.iban
    inner join found
        on
            lefts.iban = found.iban
            and lefts.place + rounds.skipped = found.place

)

select * from final
