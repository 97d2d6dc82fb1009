-- Imports: archives of a school's information system, from arrival to result.
--
-- Rows of an archive never stand here: they go through temporary tables of one transaction
-- (functions/imports.sql), and only what became of them is kept.

set local role school_owner;
set local search_path = school, pg_temp;

create table import (
    organization_id uuid           not null,
    import_id       uuid           not null,
    mode            text           not null,
    status          text           not null default 'queued',
    format          text,
    standing        text           not null,
    person_id       uuid,
    archive         text           not null,
    archive_bytes   bigint         not null,
    archive_sha256  bytea          not null,
    progress        double precision not null default 0,
    started_at      timestamptz(3),
    finished_at     timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint import_pkey         primary key (organization_id, import_id),
    constraint import_organization foreign key (organization_id) references organization,
    constraint import_mode         check (mode in ('preview', 'apply')),
    constraint import_status       check (status in ('queued', 'running', 'planned', 'awaitingApproval',
                                                     'succeeded', 'failed')),
    constraint import_progress     check (progress between 0 and 1)
);
create index import_unfinished on import (organization_id, import_id) where status in ('queued', 'running');

create table import_file (
    organization_id uuid    not null,
    import_id       uuid    not null,
    name            text    not null,
    rows            integer not null default 0,
    created         integer not null default 0,
    updated         integer not null default 0,
    unchanged       integer not null default 0,
    removed         integer not null default 0,
    problems        integer not null default 0,

    constraint import_file_pkey   primary key (organization_id, import_id, name),
    constraint import_file_import foreign key (organization_id, import_id)
                                  references import on delete cascade
);

create table import_problem (
    organization_id uuid    not null,
    import_id       uuid    not null,
    position        integer not null,
    severity        text    not null default 'error',
    file            text    not null,
    line            integer,
    column_name     text,
    code            text    not null,
    detail          text    not null,

    constraint import_problem_pkey     primary key (organization_id, import_id, position),
    constraint import_problem_import   foreign key (organization_id, import_id)
                                       references import on delete cascade,
    constraint import_problem_severity check (severity in ('error', 'warning'))
);

alter table import         enable row level security;
alter table import_file    enable row level security;
alter table import_problem enable row level security;

comment on table  import         is 'An archive that was handed in, and what became of it.';
comment on column import.standing is 'The standing under which it was ordered and runs.';
comment on column import.person_id is 'Who ordered it; null: a service. No key, so that erasing a person leaves it.';
comment on column import.archive is 'Name of the spooled file in the data folder.';
comment on table  import_file    is 'What one file of an archive did to the directory.';
comment on table  import_problem is 'What is wrong with one line of an archive.';
