-- What was deleted from the roster for good, or has another sourcedId since: OneRoster reports it to clients that ask
-- what changed. Those of a person are erased with the person.

create table roster_tombstone (
    organization_id uuid           not null,
    kind            text           not null,
    sourced_id      text           not null,
    detail          text,
    person_id       uuid,
    left_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint roster_tombstone_pkey         primary key (organization_id, kind, sourced_id),
    constraint roster_tombstone_organization foreign key (organization_id) references organization,
    constraint roster_tombstone_kind         check (
        kind in ('org', 'academicSession', 'course', 'class', 'user', 'enrollment'))
);
create index roster_tombstone_left   on roster_tombstone (left_at);
create index roster_tombstone_person on roster_tombstone (organization_id, person_id);
alter table roster_tombstone enable row level security;
comment on table  roster_tombstone is 'A sourcedId of OneRoster that has left the directory; kept for 90 days.';
comment on column roster_tombstone.person_id is 'Whose it was, for erasure; the person may be gone.';
comment on column roster_tombstone.detail is 'Which kind of academic session it was.';
