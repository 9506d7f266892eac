-- One row an open item of which a balance of the wallet shows that it landed: nothing
-- else explains the interval, and it is not explained by chance.

with

explanations as (

    select * from int_wallet_explanations
    where is_unique

),

coincidences as (

    select * from int_wallet_rests
    where is_coincidence

),

final as (

    select distinct explanations.item_id
    from explanations
    anti join coincidences
        on
            explanations.wallet = coincidences.wallet
            and explanations.to_at = coincidences.to_at

)

select * from final
