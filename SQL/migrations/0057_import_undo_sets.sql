-- What is kept to undo an import is kept in sets: a row for many rows of the directory, so that a large import can be
-- undone. Of rows that it made, only the ids are kept. Rows from before this migration stand for one row each.

alter table import_undo
    add column ids    uuid[],
    add column joined timestamptz(3)[],
    add column hashes bigint[];

comment on table  import_undo is 'Rows of the directory that an import made, changed or removed, as a set.';
comment on column import_undo.ids is
    'The ids of the rows; of roles and seats, of the people; null: the row is one of before sets, and has row_id.';
comment on column import_undo.joined is 'Of seats: their beginnings, in the order of ids.';
comment on column import_undo.hashes is
    'Of the columns that imports set, as the import left them, in the order of ids; null: the rows were removed.';
comment on column import_undo.before is
    'The columns that imports set, before it, as an array in the order of ids; null: the rows were new.';
comment on column import_undo.after is 'Of rows from before sets: how the import left them.';
