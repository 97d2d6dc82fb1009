-- Imports: archives of a school's information system, from arrival to result.
--
-- The archive itself stands here in pieces until the import is over, so that an import that was accepted survives a
-- restart of any process. The rows of an archive never do: they go through temporary tables of one transaction
-- (functions/imports), and only what became of them is kept.

-- Nobody may set session_id and token_id: the transaction says with which token the import was ordered, for the audit
-- event of the worker that does it later.
create table import (
    organization_id    uuid             not null,
    import_id          uuid             not null,
    mode               text             not null,
    status             text             not null default 'queued',
    format             text,
    standing           text             not null,
    person_id          uuid,
    service_account_id uuid,
    session_id         uuid             default nullif(current_setting('school.session', true), '')::uuid,
    token_id           text             default nullif(current_setting('school.token', true), ''),
    is_approved        boolean          not null default false,
    archive_bytes      bigint           not null,
    ignored_files      text[]           not null default '{}',
    attempts           integer          not null default 0,
    progress           double precision not null default 0,
    error_count        integer          not null default 0,
    warning_count      integer          not null default 0,
    plan_digest        bytea,
    started_at         timestamptz(3),
    finished_at        timestamptz(3),
    version            bigint           not null default 1,
    created_at         timestamptz(3)   not null default date_trunc('milliseconds', now()),
    updated_at         timestamptz(3)   not null default date_trunc('milliseconds', now()),

    constraint import_pkey            primary key (organization_id, import_id),
    constraint import_organization    foreign key (organization_id) references organization,
    constraint import_service_account foreign key (organization_id, service_account_id) references service_account,
    constraint import_mode            check (mode in ('preview', 'apply')),
    constraint import_status          check (status in ('queued', 'running', 'planned', 'awaitingApproval',
                                                        'succeeded', 'failed')),
    constraint import_progress        check (progress between 0 and 1)
);
create index import_unfinished on import (organization_id, import_id) where status in ('queued', 'running');
create index import_end on import (organization_id, finished_at);
create index import_service_account on import (organization_id, service_account_id);

create table import_archive (
    organization_id uuid    not null,
    import_id       uuid    not null,
    position        integer not null,
    bytes           bytea   not null,

    constraint import_archive_pkey   primary key (organization_id, import_id, position),
    constraint import_archive_import foreign key (organization_id, import_id) references import on delete cascade
);
alter table import_archive alter column bytes set storage external;

create table import_turn (
    organization_id uuid not null,

    constraint import_turn_pkey         primary key (organization_id),
    constraint import_turn_organization foreign key (organization_id) references organization
);

create table import_file (
    organization_id uuid    not null,
    import_id       uuid    not null,
    name            text    not null,
    position        integer not null,
    rows            integer not null default 0,
    created         integer not null default 0,
    changed         integer not null default 0,
    unchanged       integer not null default 0,
    removed         integer not null default 0,
    skipped         integer not null default 0,

    constraint import_file_pkey   primary key (organization_id, import_id, name),
    constraint import_file_import foreign key (organization_id, import_id) references import on delete cascade
);

create table import_problem (
    organization_id uuid    not null,
    import_id       uuid    not null,
    position        integer not null,
    file            text,
    line            integer,
    column_name     text,
    code            text    not null,
    detail          text    not null,
    is_warning      boolean not null default false,

    constraint import_problem_pkey   primary key (organization_id, import_id, position),
    constraint import_problem_import foreign key (organization_id, import_id) references import on delete cascade
);

create table import_change (
    organization_id  uuid    not null,
    import_id        uuid    not null,
    position         integer not null,
    file             text    not null,
    change           text    not null,
    line             integer,
    source_id        text,
    class_source_id  text,
    person_source_id text,
    fields           text[]  not null default '{}',

    constraint import_change_pkey   primary key (organization_id, import_id, position),
    constraint import_change_import foreign key (organization_id, import_id) references import on delete cascade,
    constraint import_change_change check (change in ('created', 'changed', 'removed'))
);

alter table import         enable row level security;
alter table import_archive enable row level security;
alter table import_turn    enable row level security;
alter table import_file    enable row level security;
alter table import_problem enable row level security;
alter table import_change  enable row level security;

comment on table  import is 'An archive that was handed in, and what became of it.';
comment on column import.format is 'What the archive was recognised as; null: not read yet, or not recognised.';
comment on column import.standing is 'The standing under which it was ordered and runs.';
comment on column import.person_id is 'Who ordered it; null: a service. No key, so that erasing a person leaves it.';
comment on column import.service_account_id is
    'Which service account ordered it; null: a person, or the command.';
comment on column import.session_id is 'The sign-in whose token ordered it; null: none.';
comment on column import.token_id is 'That token, as audit_event.token_id has it.';
comment on column import.is_approved is 'Somebody approved that it removes many.';
comment on column import.ignored_files is 'Files of the format that are not used and were not stored.';
comment on column import.attempts is 'How often a worker began it; one that kills its workers is given up.';
comment on column import.error_count is
    'How many mistakes the archive has, also those beyond the thousand that are kept.';
comment on column import.warning_count is
    'How many rows were passed over, also those beyond the thousand that are kept.';
comment on column import.plan_digest is
    'Of the plan that a preview showed, to compare with the plan when it is applied; null: it showed none.';
comment on table  import_archive is 'The archive in pieces, in order; gone when the import is over.';
comment on table  import_turn is 'The holder of the lock on this row imports for the organization: one at a time.';
comment on table  import_file is 'What one file of an archive does or did to the directory.';
comment on column import_file.skipped is 'Rows that bring nobody and nothing, such as parents.';
comment on table  import_problem is 'What is wrong with an archive, a file or a line of it.';
comment on column import_problem.is_warning is 'It is reported and keeps nothing from happening.';
comment on table  import_change is
    'A row of an archive, or of the directory, that a plan would change; the first of each file, and no names.';
comment on column import_change.position is 'File by file: a million for each before it, then the rows.';
comment on column import_change.line is 'The line of the file; null: the archive does not name it.';
comment on column import_change.fields is 'Which fields of a changed row differ, by their names in the API.';
