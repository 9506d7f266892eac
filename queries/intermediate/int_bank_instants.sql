-- One row an instant of a chain of balances: from which balance its entries lead to
-- which, whatever their order is. It is the one that is found by an entry and that
-- none of the others leaves, and the one that is left and not found. Where there are
-- several (`path_count`), entries between them are missing: what the entries before
-- the instant leave, or those after it find, is taken where it is one of these, or
-- else the largest. Where there are none, the entries go round, and may begin at any
-- balance of theirs: at that which is left before them and found after them, or else
-- as the rows stand, where all of the chain go from balance to balance. Signed rials.
-- kept: the steps of its reader name it some eighty times.

with

balances as (

    select * from int_bank_balances

),

sides as (

    select
        chain_no,
        booked_at,
        balance_rial - amount_rial as at_rial,
        1 as way,
    from balances
    union all
    select
        chain_no,
        booked_at,
        balance_rial as at_rial,
        -1 as way,
    from balances

),

levels as (

    select
        chain_no,
        booked_at,
        at_rial,
        sum(way) as excess,
    from sides
    group by chain_no, booked_at, at_rial

),

paths as (

    select
        chain_no,
        booked_at,
        sum(case when excess > 0 then excess else 0 end) as path_count,
        max(case when excess > 0 then at_rial end) as found_rial,
        max(case when excess < 0 then at_rial end) as left_rial,
    from levels
    group by chain_no, booked_at

),

followed as (

    select
        *,
        case
            when
                lag(balance_rial) over by_place <> balance_rial - amount_rial
                then 1
            else 0
        end as is_parted,
    from balances
    window by_place as (
        partition by chain_no, booked_at
        order by place
    )

),

-- as the rows stand
stood as (

    select
        iban,
        chain_no,
        booked_at,
        booked_date,
        min_by(balance_rial - amount_rial, place) as first_rial,
        sum(amount_rial) as amount_rial,
        max(is_parted) as is_parted,
    from followed
    group by iban, chain_no, booked_at, booked_date

),

instants as (

    select
        stood.iban,
        stood.chain_no,
        stood.booked_at,
        stood.booked_date,
        stood.amount_rial,
        max(stood.is_parted) over (partition by stood.chain_no) as is_unordered,
        stood.first_rial,
        paths.path_count,
        paths.found_rial,
        paths.left_rial,
        sum(case when paths.path_count > 0 then 1 else 0 end) over (
            partition by stood.chain_no
            order by stood.booked_at
            rows between unbounded preceding and current row
        ) as move_no,
    from stood
    inner join paths
        on
            stood.chain_no = paths.chain_no
            and stood.booked_at = paths.booked_at

),

-- those that lead from one balance to another
moves as (

    select * from instants
    where path_count > 0

),

-- with what the last of those before an instant leaves and the next one after it finds
between_moves as (

    select
        instants.*,
        befores.left_rial as before_rial,
        afters.found_rial as after_rial,
    from instants
    left join moves as befores
        on
            instants.chain_no = befores.chain_no
            and instants.move_no
            - case when instants.path_count > 0 then 1 else 0 end
            = befores.move_no
    left join moves as afters
        on
            instants.chain_no = afters.chain_no
            and instants.move_no + 1 = afters.move_no

),

-- and which of the two stand among the balances of the instant itself
met as (

    select
        between_moves.*,
        befores.at_rial as met_before_rial,
        befores.excess as before_excess,
        afters.at_rial as met_after_rial,
        afters.excess as after_excess,
        case
            when befores.at_rial = between_moves.after_rial then befores.at_rial
            when between_moves.is_unordered = 0 then between_moves.first_rial
            else
                coalesce(
                    befores.at_rial, afters.at_rial, between_moves.first_rial
                )
        end as round_rial,
    from between_moves
    left join levels as befores
        on
            between_moves.chain_no = befores.chain_no
            and between_moves.booked_at = befores.booked_at
            and between_moves.before_rial = befores.at_rial
    left join levels as afters
        on
            between_moves.chain_no = afters.chain_no
            and between_moves.booked_at = afters.booked_at
            and between_moves.after_rial = afters.at_rial

),

final as (

    select
        iban,
        chain_no,
        booked_at,
        booked_date,
        cast(amount_rial as bigint) as amount_rial,
        cast(path_count as bigint) as path_count,
        case
            when path_count = 0 then round_rial
            when before_excess > 0 then met_before_rial
            else found_rial
        end as found_rial,
        case
            when path_count = 0 then round_rial
            when after_excess < 0 then met_after_rial
            else left_rial
        end as left_rial,
    from met

)

select * from final
