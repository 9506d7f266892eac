-- One row a credit on a bank account of the business, in rials; not on the wallet's.

with

lines as (

    select * from int_bank_lines

),

wallets as (

    select * from int_wallet_ibans

),

final as (

    select
        lines.line_id as credit_id,
        lines.iban,
        lines.booked_at,
        lines.business_date,
        lines.amount_rial as credit_rial,
        lines.at_latest,
        lines.is_provider_named,
    from lines
    anti join wallets
        on lines.iban = wallets.wallet
    where lines.amount_rial > 0

)

select * from final
