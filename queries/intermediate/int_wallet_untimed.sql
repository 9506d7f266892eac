-- One row a movement that is held against no balance, whatever balances there are, since
-- nothing tells when it moved the wallet: its record has no time, or one that cannot be,
-- in the future or before the record began and before the first balance. In rials.
-- `begun_at` is when its record began, null where nobody knows. Only where the wallet
-- has two snapshots. Left out: payments without a time, of which payment_receipt_missing
-- speaks, and what explains an interval as nothing else does.
-- kept: few are sought among very many rows, and two read them.

with

movements as (

    select * from int_wallet_movements

),

explanations as (

    select * from int_wallet_explanations

),

evidence as (

    select * from int_wallet_evidence

),

ends as (

    select * from int_wallet_ends

),

settings as (

    select * from stg_settings

),

held as (

    select item_id
    from evidence
    union
    select item_id
    from explanations
    where
        solution = 1
        and kind = 'moved_in'

),

final as (

    select
        movements.movement_id,
        movements.product,
        movements.possible_from as begun_at,
        movements.effect_rial,
    from movements
    cross join ends
    cross join settings
    anti join held
        on movements.movement_id = held.item_id
    where
        (
            movements.kind in (
                'deposit_without_time',
                'gateway_without_time',
                'hosted_without_time'
            )
            and coalesce(movements.possible_from < ends.until_at, true)
        )
        or (
            movements.certainty = 'certain'
            and (
                movements.occurred_at > settings.as_of + interval 1 day
                or (
                    movements.occurred_at <= ends.first_at
                    and movements.possible_from > ends.first_at
                    and coalesce(movements.latest_at, movements.occurred_at)
                    < movements.possible_from
                )
            )
        )

)

select * from final
