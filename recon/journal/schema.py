"""The journal's tables, as steps: a file at step n gets the steps after it.

No request is ever updated or deleted: it is one row, and everything learned about it
later is a further row of `answers`. `sessions` only says which senders are done with.
"""

STEPS = (
    """
    create table requests (
        number integer primary key autoincrement,
        operation text not null,
        subject text not null,
        body text not null,
        session text not null,
        began_at text not null
    ) strict;
    create index requests_by_subject on requests (operation, subject);
    create index requests_by_session on requests (session);

    create table sessions (
        name text primary key,
        ended integer not null default 0
    ) strict;
    create index sessions_at_work on sessions (name) where ended = 0;

    create table answers (
        number integer primary key autoincrement,
        request integer not null references requests (number),
        at text not null,
        outcome text not null,
        status integer,
        body blob not null,
        note text not null
    ) strict;
    create index answers_by_request on answers (request, number);
    create index answers_unknown on answers (request) where outcome = 'unknown';

    create table deliveries (
        number integer primary key autoincrement,
        received_at text not null,
        sha256 text not null unique,
        signature_ok integer not null,
        body blob not null
    ) strict;
    """,
    """
    alter table requests add column seal text;
    alter table answers add column seal text;
    alter table deliveries add column seal text;
    """,
)

NEWEST = """
    select
        requests.number, requests.operation, requests.subject, requests.body,
        requests.began_at,
        coalesce(answers.outcome, case
            when sessions.ended = 0
                and requests.began_at > strftime('%Y-%m-%dT%H:%M:%f', 'now', '-1 hour')
            then 'open'
            else 'unknown'
        end) as standing,
        answers.at, answers.status, answers.body, answers.note,
        requests.seal, answers.seal as answer_seal
    from requests
    left join sessions on sessions.name = requests.session
    left join answers on answers.number = (
        select max(later.number) from answers as later
        where later.request = requests.number
    )
"""
"""One row a request, with its newest answer; columns in the order of `_request`.

A request without an answer is on its way for an hour at most, and while its session
lasts; then nobody knows, though a sender that was stopped may still bring one.
"""
