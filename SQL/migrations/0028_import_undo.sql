-- What an applied import replaced, so that the operator can undo it.

alter table import
    add column undone_at timestamptz(3);

create table import_undo (
    organization_id uuid           not null,
    import_id       uuid           not null,
    position        integer        not null,
    kind            text           not null,
    change          text           not null,
    row_id          uuid,
    person_id       uuid,
    class_id        uuid,
    location_id     uuid,
    role            text,
    joined_at       timestamptz(3),
    before          jsonb,
    after           jsonb,

    constraint import_undo_pkey   primary key (organization_id, import_id, position),
    constraint import_undo_import foreign key (organization_id, import_id) references import on delete cascade,
    constraint import_undo_kind   check (kind in ('location', 'term', 'person', 'role', 'course', 'class', 'seat')),
    constraint import_undo_change check (change in ('created', 'changed', 'removed'))
);
create index import_undo_person on import_undo (organization_id, person_id) where person_id is not null;

alter table import_undo enable row level security;

comment on column import.undone_at is 'When the operator undid it; null: it stands.';
comment on table  import_undo is 'A row of the directory as it was before an import, and as the import left it.';
comment on column import_undo.row_id is 'The id of the row; null: roles and seats, which the next columns name.';
comment on column import_undo.person_id is 'Whose row, role or seat. No key, so that nothing is forgotten unnoticed.';
comment on column import_undo.before is 'The columns that imports set, before it; null: the row was new.';
comment on column import_undo.after is 'The same after it; null: the row was removed.';
