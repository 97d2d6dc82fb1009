-- Imports of OneRoster's files, and the rows that a plan would change.

set local role school_owner;
set local search_path = school, pg_temp;

alter table import alter column format drop not null, alter column format drop default;
alter table import add column ignored_files text[] not null default '{}';
alter table import_file add column skipped integer not null default 0;

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
    constraint import_change_import foreign key (organization_id, import_id)
                                    references import on delete cascade,
    constraint import_change_change check (change in ('created', 'changed', 'removed'))
);

alter table import_change enable row level security;

comment on column import.format        is 'What the archive was recognised as; null: not read yet, or not recognised.';
comment on column import.ignored_files is 'Files of the format that are not used and were not stored.';
comment on column import_file.skipped  is 'Rows that bring nobody and nothing, such as parents.';
comment on table  import_change        is 'A row of an archive, or of the directory, that a plan would change; the first of each file, and no names.';
comment on column import_change.position is 'File by file: a million for each before it, then the rows.';
comment on column import_change.line   is 'The line of the file; null: the archive does not name it.';
comment on column import_change.fields is 'Which fields of a changed row differ, by their names in the API.';
