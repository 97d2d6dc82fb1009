-- The inbox of uploads: what apps report is answered once it lies here, and stored afterwards.
--
-- Every upload is one row, whoever the person is and whatever is assigned, so that the time of the answer says
-- nothing. Rows come and go by the thousand and live for a fraction of a second: vacuum comes early, and documents
-- are not compressed.

set local role school_owner;
set local search_path = school, pg_temp;

create table upload (
    organization_id uuid           not null,
    person_id       uuid           not null,
    upload_id       uuid           not null,
    kind            text           not null,
    environment     text           not null,
    bundle_id       text           not null,
    document        jsonb          not null,
    position        bigint         not null,
    arrived_at      timestamptz(3) not null,
    attempts        integer        not null default 0,
    retry_at        timestamptz(3),
    failed_at       timestamptz(3),
    failure         text,

    constraint upload_pkey        primary key (organization_id, person_id, upload_id),
    constraint upload_person      foreign key (organization_id, person_id) references person on delete cascade,
    constraint upload_kind        check (kind in ('activities', 'completion')),
    constraint upload_environment check (environment in ('development', 'production')),
    constraint upload_failure_is_told check ((failed_at is null) or (failure is not null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 1000000000, toast.autovacuum_vacuum_scale_factor = 0,
        toast.autovacuum_vacuum_threshold = 5000);
alter table upload alter column document set storage external;

alter table upload enable row level security;

comment on table  upload             is 'What an app reported and what is not stored yet, or could not be.';
comment on column upload.kind        is 'activities, or completion: a context that the app calls done.';
comment on column upload.document    is 'The activities as they were checked, or the identifier path.';
comment on column upload.position    is 'Microseconds since 1970: the uploads of a person are stored in this order.';
comment on column upload.arrived_at  is 'Assignments are judged by this moment.';
comment on column upload.attempts    is 'How often storing was stopped, by a timeout, a deadlock or a lost connection.';
comment on column upload.retry_at    is 'Not tried again before that; null: at once.';
comment on column upload.failed_at   is 'When it was given up until a server starts again; null: it waits its turn.';
comment on column upload.failure     is 'SQLSTATE of the last failure.';
