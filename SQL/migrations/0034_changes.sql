-- Changes: what was created, changed or removed lately in the directory and among handouts, for other systems that keep
-- up with it.
--
-- A row says that something changed, not what it says now: there are ids in it and no names. It is written by triggers
-- in the transaction that makes the change, at most one per transaction for each thing.

-- The position of a row begins with the transaction that wrote it. Numbers of transactions do not grow in the order of
-- commits, so nobody is shown a transaction before all with lower numbers have ended (functions/changes).
create table change (
    organization_id uuid           not null,
    transaction     xid8           not null default pg_current_xact_id(),
    kind            text           not null,
    subject_id      uuid           not null,
    what            text           not null,
    noted_at        timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint change_pkey primary key (organization_id, transaction, kind, subject_id),
    constraint change_kind check (kind in ('location', 'term', 'course', 'person', 'class', 'roster', 'handout')),
    constraint change_what check (what in ('created', 'changed', 'removed'))
);
create index change_noted on change (noted_at);

-- Positions are of this database and of this time line: its numbers of transactions mean nothing elsewhere. A restore
-- begins a new feed, and the positions of the former one are refused.
create table change_feed (
    organization_id   uuid not null,
    feed_id           uuid not null default gen_random_uuid(),
    forgotten_through xid8,

    constraint change_feed_pkey         primary key (organization_id),
    constraint change_feed_organization foreign key (organization_id) references organization on delete cascade
);

alter table change      enable row level security;
alter table change_feed enable row level security;

comment on table  change is 'Something was created, changed or removed; kept for thirty days.';
comment on column change.transaction is 'Which transaction wrote it.';
comment on column change.kind is 'roster: the seats of a class.';
comment on column change.subject_id is 'What changed; for a roster, the class.';
comment on table  change_feed is 'From which changes on an organization can be followed.';
comment on column change_feed.feed_id is 'Seals the positions that clients hold. No role reads it but by function.';
comment on column change_feed.forgotten_through is 'The last transaction of which changes were forgotten; null: none.';
