-- One row an odd reference without its suffix, where it has one: `1001` of `1001-2`.
-- kept: they are few, which the planner cannot know before they are counted.

with

odd as (

    select * from int_book_odd_references

),

stems as (

    select regexp_extract(
        reference, '^(.*[^-_/.#: ])[-_/.#: ]+[^-_/.#: ]{1,3}$', 1
    ) as stem
    from odd
    where regexp_matches(reference, '[-_/.#: ][^-_/.#: ]{1,3}$')

),

final as (

    select distinct stem
    from stems
    where stem <> ''

)

select * from final
