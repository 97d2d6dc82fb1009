-- Exports: the nightly ones, those that a call ordered, and what is gone since.

create table export_snapshot (
    organization_id uuid           not null,
    exported_on     date           not null,
    sequence        integer        not null default 1,
    taken_at        timestamptz(3) not null,
    since           timestamptz(3),
    snapshot        pg_snapshot    not null,
    system_id       bigint         not null,
    is_full         boolean        not null,
    seal_number     bigint,
    seal_digest     text,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint export_snapshot_pkey         primary key (organization_id, exported_on, sequence),
    constraint export_snapshot_organization foreign key (organization_id) references organization
);

-- Nobody may set session_id and token_id: the transaction says with which token the export was ordered, for the audit
-- event of the worker that does it later.
create table export (
    organization_id uuid           not null,
    export_id       uuid           not null,
    status          text           not null default 'queued',
    session_id      uuid           default nullif(current_setting('school.session', true), '')::uuid,
    token_id        text           default nullif(current_setting('school.token', true), ''),
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
    expired_because text,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint export_pkey         primary key (organization_id, export_id),
    constraint export_organization foreign key (organization_id) references organization,
    constraint export_since        foreign key (organization_id, since_export_id) references export,
    constraint export_status       check (status in ('queued', 'running', 'succeeded', 'failed')),
    constraint export_has_a_snapshot_when_it_succeeded check (
        status <> 'succeeded' or snapshot is not null and taken_at is not null and expires_at is not null),
    constraint export_expires_for_a_reason check (expired_because in ('erasure', 'progressDeleted'))
);
create unique index export_is_under_way on export (organization_id) where status in ('queued', 'running');
create index export_since on export (organization_id, since_export_id);

create table deletion (
    organization_id uuid           not null,
    deletion_id     uuid           not null,
    kind            text           not null,
    subject_id      uuid           not null,
    person_id       uuid,
    deleted_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint deletion_pkey         primary key (organization_id, deletion_id),
    constraint deletion_organization foreign key (organization_id) references organization,
    constraint deletion_kind         check (kind in ('handout', 'task', 'recipient', 'activity', 'person'))
);
create index deletion_deleted on deletion (organization_id, deleted_at);

alter table export_snapshot enable row level security;
alter table export          enable row level security;
alter table deletion        enable row level security;

comment on table  export_snapshot is 'A folder that the nightly export finished.';
comment on column export_snapshot.exported_on is 'The day in the time zone of the organization.';
comment on column export_snapshot.sequence is 'Counts the folders of the date, wherever they were written.';
comment on column export_snapshot.taken_at is 'The moment of the database snapshot.';
comment on column export_snapshot.since is 'From which moment on the folder holds changes; null: everything.';
comment on column export_snapshot.snapshot is 'Which transactions it saw: the next export takes the others.';
comment on column export_snapshot.system_id is
    'The cluster whose transactions these are; in another one the next export is full.';
comment on column export_snapshot.seal_number is 'The last seal of the audit trail then; null: there was none.';
comment on column export_snapshot.seal_digest is 'Its digest in hexadecimal, which the next export looks for.';

comment on table  export is
    'An export that was ordered by a call, and what became of it. The nightly ones are in export_snapshot.';
comment on column export.session_id is 'The sign-in whose token ordered it; null: none.';
comment on column export.token_id is 'That token, as audit_event.token_id has it.';
comment on column export.since_export_id is 'Only what changed since that one; null: everything.';
comment on column export.attempts is 'How often a worker began it; one that kills its workers is given up.';
comment on column export.since is 'From which moment on it holds changes; null: everything.';
comment on column export.snapshot is 'Which transactions it saw: one that continues it takes the others.';
comment on column export.system_id is 'The cluster whose transactions these are.';
comment on column export.files is 'Name, bytes, SHA-256 and rows of each; none when they are gone.';
comment on column export.failure is 'Why it failed, for people.';
comment on column export.expires_at is 'When its files go.';
comment on column export.expired_because is
    'Why the files are gone before their time; null: they are there, or a week was over.';

comment on table  deletion is 'Something that was exported once may be gone: the receiver deletes it too.';
comment on column deletion.subject_id is 'Of a recipient: the handout.';
comment on column deletion.person_id is 'Whose activity it was, or who is no longer a recipient.';
