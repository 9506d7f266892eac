-- One row a debit or a credit on a bank account of the business, in signed rials.
-- An entry that stands for a whole day may lie anywhere in it, so it is taken to lie
-- at the day's end. Where a file gives no seconds of an account's entries, each is taken
-- to lie at the end of its minute.
-- Equal entries of one second, as its id names it, are counted apart. All entries of
-- a file without line breaks have one position: they are in the order of their hashes.
-- Structured texts (MT940's :86:) are cut into subfields `?20`, `?21`, … and lines,
-- wherever that falls in a word: their letters alone are searched, too, for names
-- of five letters or more. Shorter ones would be met across words.
-- A line break stands where a full line of a text ended: within a word, or between two
-- of them. Names are searched in both ways.
-- Names and texts are folded alike: letters that two keyboards write differently are
-- one; half-spaces, marks of direction, vowel signs and tatweel are left out; every run
-- of spaces of any width is one space. A half-space of a name may be a space of a text.
-- In Persian a space may be missing, or stand where the name has none: then the name
-- has five letters or more, and begins and ends where words of the text do.

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

named_as as (

    select
        name,
        pattern,
    from stg_provider_names
    union all
    select
        regexp_replace(name, '\x{200c}', ' ', 'g') as name,
        pattern,
    from stg_provider_names

),

folded_names as (

    select
        trim(
            regexp_replace(
                translate(
                    regexp_replace(
                        lower(name), '[\p{Mn}\p{Cf}\x{640}]', '', 'g'
                    ),
                    'يكىئآأإؤۀ۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩',
                    'یکییاااوه01234567890123456789'
                ),
                '[\p{Z}\x{9}-\x{d}]{2,}|[^\P{Z} ]|[\x{9}-\x{d}]',
                ' ',
                'g'
            )
        ) as name,
        translate(
            regexp_replace(lower(pattern), '[\p{Mn}\p{Cf}\x{640}]', '', 'g'),
            'يكىئآأإؤۀ۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩',
            'یکییاااوه01234567890123456789'
        ) as pattern,
        regexp_matches(name, '[\x{600}-\x{6ff}]') as is_persian,
    from named_as

),

provider_names as (

    select distinct
        name,
        case when is_persian then replace(name, ' ', '') end as bare_name,
        translate(name, '? 0123456789', '') as letters,
        case
            when is_persian and length(replace(name, ' ', '')) > 4
                then '(^|[^\p{L}])' || pattern || '([^\p{L}]|$)'
        end as pattern,
    from folded_names
    where name <> ''

),

folded as (

    select
        *,
        translate(
            regexp_replace(
                lower(description), '[\p{Mn}\p{Cf}\x{640}]', '', 'g'
            ),
            'يكىئآأإؤۀ۰۱۲۳۴۵۶۷۸۹٠١٢٣٤٥٦٧٨٩',
            'یکییاااوه01234567890123456789'
        ) as folded_description,
    from entries

),

written as (

    select
        upper(replace(folded.iban, ' ', '')) as iban,
        folded.booked_at,
        coalesce(
            strftime(folded.booked_at at time zone 'UTC', '%Y-%m-%d')
            || 'T'
            || strftime(folded.booked_at at time zone 'UTC', '%H:%M:%S')
            || 'Z',
            ''
        ) as booked,
        folded.amount_rial,
        regexp_replace(
            folded.folded_description,
            '[\p{Z}\x{9}-\x{d}]{2,}|[^\P{Z} ]|[\x{9}-\x{d}]',
            ' ',
            'g'
        ) as plain_description,
        regexp_replace(
            replace(folded.folded_description, chr(10), ''),
            '[\p{Z}\x{9}-\x{d}]{2,}|[^\P{Z} ]|[\x{9}-\x{d}]',
            ' ',
            'g'
        ) as joined_description,
        cast(
            folded.booked_at at time zone settings.timezone as date
        ) as business_date,
        case
            when whole_days.ends_at is not null then whole_days.ends_at
            when
                max(
                    case
                        when
                            strftime(folded.booked_at at time zone 'UTC', '%S.%f')
                            <> '00.000000'
                            then 1
                        else 0
                    end
                ) over (
                    partition by folded.pull_id, folded.page_no, folded.iban
                ) = 0
                then folded.booked_at + interval 59 second
            else folded.booked_at
        end as at_latest,
        folded.pull_id,
        folded.page_no,
        folded.position,
        folded.record_hash,
        folded.nth,
    from folded
    cross join settings
    left join whole_days
        on folded.booked_at = whole_days.begins_at
    where folded.amount_rial <> 0

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
            -- a pattern is read anew for each text, so few are sought by one
            or case
                when
                    contains(
                        replace(numbered.joined_description, ' ', ''),
                        provider_names.bare_name
                    )
                    then
                        contains(
                            numbered.joined_description,
                            provider_names.bare_name
                        )
                        or regexp_matches(
                            numbered.plain_description, provider_names.pattern
                        )
            end
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
