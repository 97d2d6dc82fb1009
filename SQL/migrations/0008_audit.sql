-- Audit: who did what, when, from where. Nobody changes or removes an event.
--
-- Partitioned by the month of arrival. make_audit_months() makes the months ahead; what has no
-- month lands in the default partition, so that an event is never refused.

set local role school_owner;
set local search_path = school, pg_temp;

create table audit_event (
    organization_id uuid           not null,
    arrived_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    event_id        uuid           not null,
    kind            text           not null,
    standing        text           not null,
    person_id       uuid,
    app             text,
    address         text,
    subject_kind    text,
    subject_id      text,
    details         jsonb          not null default '{}',

    constraint audit_event_pkey primary key (organization_id, arrived_at, event_id),
    constraint audit_event_organization foreign key (organization_id) references organization,
    constraint audit_event_kind check (kind in ('signIn', 'signInFailure', 'signOut', 'denial',
        'export', 'erasure', 'roleChange', 'rosterChange', 'personChange', 'temporaryPassword',
        'passwordChange', 'organizationChange', 'import', 'tokenCreated', 'tokenRevoked',
        'developerTeamChange', 'studentProgressChange'))
) partition by range (arrived_at);
create table audit_event_default partition of audit_event default;

alter table audit_event         enable row level security;
alter table audit_event_default enable row level security;

comment on table  audit_event            is 'Something that happened and must stay known.';
comment on column audit_event.standing   is 'As what the actor acted; server: before anybody was known.';
comment on column audit_event.person_id  is 'Who acted; no key, an event outlives the person.';
comment on column audit_event.subject_id is 'An id, never a name.';
