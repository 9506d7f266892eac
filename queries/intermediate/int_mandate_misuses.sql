-- One row a debit payment that its mandate does not allow, as far as the
-- payment and its mandate tell alone. Amounts in rials. The checks say which
-- rule it is.

with

uses as (

    select * from int_mandate_uses

),

final as (

    select *
    from uses
    where
        not is_mandate_known
        or payment_method is distinct from mandate_payment_method
        or (
            is_done
            and (
                amount_rial > limit_rial
                or used_at > expires_at
                or used_at > revoked_at
            )
        )

)

select * from final
