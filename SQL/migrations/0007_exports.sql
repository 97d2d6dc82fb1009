-- Exports: which state was exported last, and what is gone since.

set local role school_owner;
set local search_path = school, pg_temp;

create table export_snapshot (
    organization_id uuid           not null,
    exported_on     date           not null,
    sequence        integer        not null default 1,
    taken_at        timestamptz(3) not null,
    since           timestamptz(3),
    snapshot        pg_snapshot    not null,
    system_id       bigint         not null,
    is_full         boolean        not null,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint export_snapshot_pkey         primary key (organization_id, exported_on, sequence),
    constraint export_snapshot_organization foreign key (organization_id) references organization
);

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
alter table deletion        enable row level security;

comment on table  export_snapshot is 'A folder that the nightly export finished.';
comment on column export_snapshot.exported_on is 'The day in the time zone of the organization.';
comment on column export_snapshot.sequence is 'Counts the folders of the date, wherever they were written.';
comment on column export_snapshot.taken_at is 'The moment of the database snapshot.';
comment on column export_snapshot.since is 'From which moment on the folder holds changes; null: everything.';
comment on column export_snapshot.snapshot is 'Which transactions it saw: the next export takes the others.';
comment on column export_snapshot.system_id is 'The cluster whose transactions these are; in another one the next export is full.';
comment on table  deletion        is 'Something that was exported once may be gone: the receiver deletes it too.';
comment on column deletion.subject_id is 'Of a recipient: the handout.';
comment on column deletion.person_id is 'Whose activity it was, or who is no longer a recipient.';
