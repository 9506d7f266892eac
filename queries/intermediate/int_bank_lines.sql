-- One row a debit or a credit on a bank account of the business, in signed rials.
-- An entry that stands for a whole day may lie anywhere in it, so it is taken to lie
-- at the day's end.
-- Equal entries of one second, as its id names it, are counted apart. All entries of
-- a file without line breaks have one position: they are in the order of their hashes.
-- Structured texts (MT940's :86:) are cut into subfields `?20`, `?21`, … and lines,
-- wherever that falls in a word: their letters alone are searched, too, for names
-- of five letters or more. Shorter ones would be met across words.
-- A line break stands where a full line of a text ended: within a word, or between two
-- of them. Names are searched in both ways.

with

entries as (

    select * from stg_business__bank_entries

),

settings as (

    select * from stg_settings

),

whole_days as (

    select * from int_whole_days

),

provider_names as (

    select
        translate(lower(trim(name)), 'يك', 'یک') as name,
        translate(lower(name), 'يك? 0123456789', 'یک') as letters,
    from stg_provider_names
    where trim(name) <> ''

),

written as (

    select
        upper(replace(entries.iban, ' ', '')) as iban,
        entries.booked_at,
        coalesce(
            strftime(entries.booked_at at time zone 'UTC', '%Y-%m-%d')
            || 'T'
            || strftime(entries.booked_at at time zone 'UTC', '%H:%M:%S')
            || 'Z',
            ''
        ) as booked,
        entries.amount_rial,
        translate(
            lower(replace(entries.description, chr(10), ' ')),
            'يك',
            'یک'
        ) as plain_description,
        translate(
            lower(replace(entries.description, chr(10), '')),
            'يك',
            'یک'
        ) as joined_description,
        cast(
            entries.booked_at at time zone settings.timezone as date
        ) as business_date,
        whole_days.begins_at is not null as is_day_only,
        coalesce(whole_days.ends_at, entries.booked_at) as at_latest,
        entries.pull_id,
        entries.page_no,
        entries.position,
        entries.record_hash,
        entries.nth,
    from entries
    cross join settings
    left join whole_days
        on entries.booked_at = whole_days.begins_at
    where entries.amount_rial <> 0

),

numbered as (

    select
        iban,
        booked_at,
        booked,
        amount_rial,
        plain_description,
        joined_description,
        business_date,
        is_day_only,
        at_latest,
        row_number() over (
            partition by iban, booked, amount_rial
            order by pull_id, page_no, position, record_hash, nth
        ) as nth,
    from written

),

named as (

    select distinct
        numbered.iban,
        numbered.booked,
        numbered.amount_rial,
        numbered.nth,
    from numbered
    inner join provider_names
        on
            contains(numbered.plain_description, provider_names.name)
            or contains(numbered.joined_description, provider_names.name)
            or (
                contains(numbered.plain_description, '?20')
                and length(provider_names.letters) > 4
                and contains(
                    translate(numbered.joined_description, '? 0123456789', ''),
                    provider_names.letters
                )
            )

),

final as (

    select
        coalesce(numbered.iban, '')
        || ':'
        || numbered.booked
        || ':'
        || cast(numbered.amount_rial as varchar)
        || ':'
        || cast(numbered.nth as varchar) as line_id,
        numbered.iban,
        numbered.booked_at,
        numbered.business_date,
        numbered.is_day_only,
        numbered.amount_rial,
        numbered.at_latest,
        named.nth is not null as is_provider_named,
    from numbered
    left join named
        on
            numbered.iban is not distinct from named.iban
            and numbered.booked = named.booked
            and numbered.amount_rial = named.amount_rial
            and numbered.nth = named.nth

)

select * from final
