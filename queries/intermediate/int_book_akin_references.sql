-- One row a first number of records that are far from every order in time, where it or
-- their other number is an odd reference with a suffix, or the other way round (`1001`
-- and `1001-2`): one of the two may be a part of the other (int_book_families),
-- whenever it was.
-- kept: of very many records they are few.

with

far_records as (

    select * from int_book_far_records

),

odd as (

    select * from int_book_odd_references

),

stems as (

    select * from int_book_odd_stems

),

-- a first number with a space at an end is odd anyway; to trim all would be dear
named as (

    select
        reference,
        coalesce(reference, other_reference) as first_reference,
        case
            when other_reference like ' %' or other_reference like '% '
                then trim(other_reference)
            else other_reference
        end as other_reference,
    from far_records

),

stemmed as (

    select
        reference,
        other_reference,
        first_reference,
        case
            when regexp_matches(reference, '[-_/.#: ][^-_/.#: ]{1,3}$')
                then
                    regexp_extract(
                        reference,
                        '^(.*[^-_/.#: ])[-_/.#: ]+[^-_/.#: ]{1,3}$',
                        1
                    )
        end as stem,
        case
            when regexp_matches(other_reference, '[-_/.#: ][^-_/.#: ]{1,3}$')
                then
                    regexp_extract(
                        other_reference,
                        '^(.*[^-_/.#: ])[-_/.#: ]+[^-_/.#: ]{1,3}$',
                        1
                    )
        end as other_stem,
    from named

),

final as (

    select distinct stemmed.first_reference
    from stemmed
    left join stems
        on stemmed.reference = stems.stem
    left join stems as other_stems
        on stemmed.other_reference = other_stems.stem
    left join odd
        on stemmed.stem = odd.reference
    left join odd as other_odd
        on stemmed.other_stem = other_odd.reference
    where
        stems.stem is not null
        or other_stems.stem is not null
        or odd.reference is not null
        or other_odd.reference is not null

)

select * from final
