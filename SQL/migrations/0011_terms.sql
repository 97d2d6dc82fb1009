-- Terms: school years and their parts, which term a class belongs to, how many a class may hold, and seats
-- whose beginning became known later.
--
-- Days begin where they are named and end before the day that is named: ends_on is the first day that
-- is no longer in the term, as OneRoster has it, and as left_at of a seat.
--
-- A class belongs to one term at most. OneRoster lists several: then it is the smallest term that
-- covers them, which is the nearest that is above (or equal to) all of them, so that closing a part
-- of the time for which a class is taught does not archive it; where nothing is above all of them, the
-- one that ends last.

set local role school_owner;
set local search_path = school, pg_temp;

-- Terms that people make do not overlap their siblings of the same kind, and the constraint holds it
-- against any two at once. Those of an archive are taken as they are: the schools of a district may
-- have calendars of their own. A range is what GiST compares without an extension; a key of 64 bits
-- names the siblings. Deferrable, so that one statement may move two neighbours.
create table term (
    organization_id uuid           not null,
    term_id         uuid           not null,
    source_id       text,
    parent_id       uuid,
    name            text           not null,
    kind            text           not null,
    starts_on       date           not null,
    ends_on         date           not null,
    origin          text           not null default 'manual',
    closed_at       timestamptz(3),
    siblings_key    bigint         not null generated always as (hashtextextended(
                        organization_id::text || coalesce(parent_id::text, '') || kind, 0)) stored,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint term_pkey              primary key (organization_id, term_id),
    constraint term_organization      foreign key (organization_id) references organization,
    constraint term_parent            foreign key (organization_id, parent_id) references term,
    constraint term_source_id_is_unique unique (organization_id, source_id),
    constraint term_source_id_length  check (char_length(source_id) between 1 and 255),
    constraint term_has_a_name        check (name ~ '\S' and char_length(name) <= 256),
    constraint term_kind              check (kind in ('schoolYear', 'semester', 'term', 'gradingPeriod')),
    constraint term_begins_then_ends  check (ends_on > starts_on),
    constraint term_is_not_its_own_parent check (parent_id <> term_id),
    constraint term_origin            check (origin in ('manual', 'import')),
    constraint term_does_not_overlap_its_siblings exclude using gist (
        int8range(siblings_key, siblings_key, '[]') with =, daterange(starts_on, ends_on) with &&)
        where (origin = 'manual') deferrable initially immediate
);
create index term_parent on term (organization_id, parent_id);

alter table class add column term_id uuid;
alter table class add constraint class_term foreign key (organization_id, term_id) references term;
create index class_term on class (organization_id, term_id);

-- Fifteen teachers are what Apple's template for classes has columns for.
alter table organization
    add column class_students_max integer not null default 500,
    add column class_teachers_max integer not null default 15,
    add constraint organization_class_students_max check (class_students_max between 1 and 5000),
    add constraint organization_class_teachers_max check (class_teachers_max between 1 and 5000);

-- Who joined and who left is told afterwards, too; but that a seat began before it was recorded opens no
-- assignment for the time until then.
alter table seat add column recorded_at timestamptz(3);
-- Names as they are searched, as person.name_text has them: each word after one space or more, in lower case
-- and without accents. No table may lean on a function of ours, so the expression stands here; name_text()
-- does the same to what is asked for.
do $$
declare
    expression constant text := $text$
        ' ' || replace(replace(replace(replace(lower(translate(
            regexp_replace(normalize(%s, NFKD), '[\u0300-\u036f]', '', 'g'),
            'ØøŁłĐđıĦħŦŧŊŋÐðƏəĸſẞÆŒÞ-‐‑.,_''’ʼ`´', 'OoLlDdiHhTtNnDdEeksßæœþ      ')),
            'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') $text$;
    found record;
begin
    for found in
        select * from (values
            ('location', 'name'), ('term', 'name'), ('course', $x$name || coalesce(' ' || number, '')$x$),
            ('class', $x$name || coalesce(' ' || number, '') || coalesce(' ' || display_name, '')$x$))
            as f (kind, words) loop
        execute format('alter table %I add column name_text text not null generated always as ('
                       || format(expression, found.words) || ') stored', found.kind);
        execute format('comment on column %I.name_text is %L', found.kind,
                       'Its names in lower case without accents, for search.');
    end loop;
end $$;

-- The kinds of audit events that there are by now, and three more.
do $$
declare
    kinds text := (select pg_get_constraintdef(oid) from pg_constraint
                    where conname = 'audit_event_kind' and conrelid = 'audit_event'::regclass);
begin
    alter table audit_event drop constraint audit_event_kind;
    execute 'alter table audit_event add constraint audit_event_kind '
        || replace(kinds, 'ARRAY[', 'ARRAY[''termClosing''::text, ''termReopening''::text, ''removal''::text, ');
end $$;

alter table term enable row level security;

comment on table  term           is 'A school year or a part of it.';
comment on column term.parent_id is 'The larger term that it is a part of; null: none.';
comment on column term.ends_on   is 'The first day after it.';
comment on column term.origin    is 'import: an archive brought it, and it may overlap its siblings.';
comment on column term.closed_at is 'When it was closed and its classes archived; null: open.';
comment on column term.siblings_key is 'The same for terms of one kind with one parent.';
comment on column class.term_id  is 'The smallest term that covers the time for which it is taught; null: none.';
comment on column organization.class_students_max is 'How many students a class may hold, seats that begin later included.';
comment on column organization.class_teachers_max is 'How many teachers a class may hold, likewise.';
comment on column seat.recorded_at is 'When it became known that the seat began at joined_at, where that was later; null: at once.';
