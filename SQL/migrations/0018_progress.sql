-- Progress: when a link to an assignment last brought something new, ranges without end, and exports that are
-- ordered by a call.
--
-- A class's report of what changed since a moment finds the links by the moment at which they, or the activity
-- behind them, were last written. Nothing else tells cheaply: an activity does not know its classes, and a
-- handout is not written when a student works.

set local role school_owner;
set local search_path = school, pg_temp;

alter table activity_assignment
    add column updated_at timestamptz(3) not null default date_trunc('milliseconds', now());
create index activity_assignment_class on activity_assignment (organization_id, class_id, updated_at);

-- What decides whether a teacher sees an activity is in the key that the policies look it up by.
alter table activity_assignment
    drop constraint activity_assignment_pkey,
    add constraint activity_assignment_pkey primary key (organization_id, person_id, activity_id, task_id)
        include (handout_id, class_id);
create index task_class on task (organization_id, class_id);

alter table activity add column is_rounded boolean not null default false;

create table export (
    organization_id uuid           not null,
    export_id       uuid           not null,
    status          text           not null default 'queued',
    since_export_id uuid,
    attempts        integer        not null default 0,
    exported_on     date,
    since           timestamptz(3),
    taken_at        timestamptz(3),
    snapshot        pg_snapshot,
    system_id       bigint,
    row_count       bigint,
    files           jsonb          not null default '[]',
    failure         text,
    started_at      timestamptz(3),
    finished_at     timestamptz(3),
    expires_at      timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint export_pkey         primary key (organization_id, export_id),
    constraint export_organization foreign key (organization_id) references organization,
    constraint export_since        foreign key (organization_id, since_export_id) references export,
    constraint export_status       check (status in ('queued', 'running', 'succeeded', 'failed')),
    constraint export_has_a_snapshot_when_it_succeeded check (
        status <> 'succeeded' or snapshot is not null and taken_at is not null and expires_at is not null)
);
create unique index export_is_under_way on export (organization_id) where status in ('queued', 'running');
create index export_since on export (organization_id, since_export_id);

alter table export enable row level security;

comment on column activity_assignment.updated_at is 'When the activity behind it changed last.';
comment on column activity.is_rounded is 'The ranges were in too many pieces: their ends are rounded from then on.';
comment on table  export is 'An export that was ordered by a call, and what became of it. The nightly ones are in export_snapshot.';
comment on column export.since_export_id is 'Only what changed since that one; null: everything.';
comment on column export.attempts    is 'How often a worker began it; one that kills its workers is given up.';
comment on column export.since       is 'From which moment on it holds changes; null: everything.';
comment on column export.snapshot    is 'Which transactions it saw: one that continues it takes the others.';
comment on column export.system_id   is 'The cluster whose transactions these are.';
comment on column export.files       is 'Name, bytes, SHA-256 and rows of each; none when they are gone.';
comment on column export.failure     is 'Why it failed, for people.';
comment on column export.expires_at  is 'When its files go.';
