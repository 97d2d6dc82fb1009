-- Plans of imports speak of people: a row of a plan says whom it is about by name, and what changes from what to what,
-- since a preview's new people are nowhere else, and old names are gone once it is applied.

alter table import_change
    add column kind        text,
    add column person_id   uuid,
    add column class_id    uuid,
    add column about       jsonb not null default '{}',
    add column differences jsonb not null default '[]';
create index import_change_person on import_change (organization_id, import_id, person_id) where person_id is not null;

comment on table  import_change is
    'A row of an archive, or of the directory, that a plan would change; the first of each file.';
comment on column import_change.kind is
    'What it is a row of: person, class, seat, course, location or term; null: a plan from before this column.';
comment on column import_change.person_id is
    'Whom it is about, also one that is only planned. No key, so that nothing is forgotten unnoticed.';
comment on column import_change.class_id is 'Of a seat: its class, also one that is only planned.';
comment on column import_change.about is 'How people know what it is about: names, grade, location, as of the plan.';
comment on column import_change.differences is 'Of a changed row: name, was and becomes of each field.';

alter table import add column undone_by uuid;

comment on column import.undone_at is 'When it was undone; null: it stands.';
comment on column import.undone_by is 'Who undid it; null: the operator. No key, so that erasing a person leaves it.';
