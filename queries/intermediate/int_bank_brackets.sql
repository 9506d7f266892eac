-- One row a claim and a debit that may serve it; each debit serves once. Claims
-- and debits of one account and amount are paired like brackets, which gives a
-- debit to the nearest claim before it. Where a pair leaves the claim's window,
-- all that lies between its ends is paired in order instead, if that fits
-- throughout. Where it does not, a claim may be left that could be served:
-- int_bank_matches finds these.

with

claims as (

    select * from int_bank_claims

),

debits as (

    select * from int_bank_debits

),

points as (

    select
        iban,
        claim_rial as amount_rial,
        requested_at as "at",
        1 as step,
        claim_id as id,
        requested_at as from_at,
        until_at,
    from claims
    where claim_rial is not null
    union all
    select
        iban,
        debit_rial as amount_rial,
        at_latest as "at",
        -1 as step,
        debit_id as id,
        at_latest as from_at,
        booked_at as until_at,
    from debits
    where booked_at is not null

),

placed as (

    select
        *,
        row_number() over (
            partition by iban, amount_rial
            order by "at", step desc, id
        ) as place,
        sum(step) over (
            partition by iban, amount_rial
            order by "at", step desc, id
            rows between unbounded preceding and current row
        ) as height,
    from points

),

levelled as (

    select
        *,
        case when step = 1 then height else height + 1 end as level,
    from placed

),

followed as (

    select
        *,
        lead(id) over same_level as next_id,
        lead(place) over same_level as next_place,
        lead(from_at) over same_level as next_from_at,
        lead(until_at) over same_level as next_until_at,
    from levelled
    window same_level as (partition by iban, amount_rial, level order by place)

),

brackets as (

    select
        iban,
        amount_rial,
        id as claim_id,
        next_id as debit_id,
        place as first_place,
        next_place as last_place,
        from_at <= next_from_at and next_until_at <= until_at as is_in_window,
    from followed
    where
        step = 1
        and next_id is not null

),

-- the outermost pair that leaves its window, of those around a place
stretches as (

    select
        outer_pair.iban,
        outer_pair.amount_rial,
        outer_pair.first_place,
        outer_pair.last_place,
    from brackets as outer_pair
    anti join brackets as around
        on
            outer_pair.iban = around.iban
            and outer_pair.amount_rial = around.amount_rial
            and not around.is_in_window
            and around.first_place < outer_pair.first_place
            and around.last_place > outer_pair.last_place
    where not outer_pair.is_in_window

),

ranked as (

    select
        stretches.iban,
        stretches.amount_rial,
        stretches.first_place,
        placed.step,
        placed.id,
        placed.from_at,
        placed.until_at,
        row_number() over (
            partition by
                stretches.iban,
                stretches.amount_rial,
                stretches.first_place,
                placed.step
            order by placed.place
        ) as turn,
    from stretches
    inner join placed
        on
            stretches.iban = placed.iban
            and stretches.amount_rial = placed.amount_rial
            and placed.place
            between stretches.first_place and stretches.last_place

),

turns as (

    select
        opened.id as claim_id,
        closed.id as debit_id,
        min(
            case
                when
                    opened.from_at <= closed.from_at
                    and closed.until_at <= opened.until_at
                    then 1
                else 0
            end
        ) over (
            partition by opened.iban, opened.amount_rial, opened.first_place
        ) = 1 as is_in_window,
    from ranked as opened
    inner join ranked as closed
        on
            opened.iban = closed.iban
            and opened.amount_rial = closed.amount_rial
            and opened.first_place = closed.first_place
            and opened.turn = closed.turn
            and opened.step = 1
            and closed.step = -1

),

repaired as (

    select * from turns
    where is_in_window

),

final as (

    select
        claim_id,
        debit_id,
    from repaired
    union all
    select
        brackets.claim_id,
        brackets.debit_id,
    from brackets
    anti join repaired
        on brackets.claim_id = repaired.claim_id
    where brackets.is_in_window

)

select * from final
