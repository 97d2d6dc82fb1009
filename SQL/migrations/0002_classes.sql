-- Classes: terms, courses, classes and who sits in them.
--
-- Days begin where they are named and end before the day that is named: ends_on is the first day that is no longer
-- in the term, as OneRoster has it, and as left_at of a seat.
--
-- A class belongs to one term at most. OneRoster lists several: then it is the smallest term that covers them, which
-- is the nearest that is above (or equal to) all of them, so that closing a part of the time for which a class is
-- taught does not archive it; where nothing is above all of them, the one that ends last.
--
-- A seat is never deleted: it ends. What somebody could see or record on a day of the past must stay known, and last
-- year's reports must still add up.

-- Terms that people make do not overlap their siblings of the same kind, and the constraint holds it against any two
-- at once. Those of an archive are taken as they are: the schools of a district may have calendars of their own. A
-- range is what GiST compares without an extension; a key of 64 bits names the siblings. Deferrable, so that one
-- statement may move two neighbours.
create table term (
    organization_id uuid           not null,
    term_id         uuid           not null,
    source_id       text,
    parent_id       uuid,
    name            text           not null,
    name_text       text           not null generated always as (' ' || folded(name)) stored,
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

    constraint term_pkey                  primary key (organization_id, term_id),
    constraint term_source_id_is_unique   unique (organization_id, source_id),
    constraint term_organization          foreign key (organization_id) references organization,
    constraint term_parent                foreign key (organization_id, parent_id) references term,
    constraint term_source_id_length      check (char_length(source_id) between 1 and 255),
    constraint term_has_a_name            check (name ~ '\S' and char_length(name) <= 256),
    constraint term_kind                  check (kind in ('schoolYear', 'semester', 'term', 'gradingPeriod')),
    constraint term_begins_then_ends      check (ends_on > starts_on),
    constraint term_is_not_its_own_parent check (parent_id <> term_id),
    constraint term_origin                check (origin in ('manual', 'import')),
    constraint term_does_not_overlap_its_siblings exclude using gist (
        int8range(siblings_key, siblings_key, '[]') with =, daterange(starts_on, ends_on) with &&)
        where (origin = 'manual') deferrable initially immediate
);
create index term_parent on term (organization_id, parent_id);

create table course (
    organization_id uuid           not null,
    course_id       uuid           not null,
    source_id       text,
    location_id     uuid           not null,
    name            text           not null,
    number          text,
    name_text       text           not null generated always as (
                        ' ' || folded(name || coalesce(' ' || number, ''))) stored,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint course_pkey                primary key (organization_id, course_id),
    constraint course_source_id_is_unique unique (organization_id, source_id),
    constraint course_location            foreign key (organization_id, location_id) references location,
    constraint course_source_id_length    check (char_length(source_id) between 1 and 255),
    constraint course_has_a_name          check (name ~ '\S' and char_length(name) <= 256)
);
create index course_location on course (organization_id, location_id);

create table class (
    organization_id uuid           not null,
    class_id        uuid           not null,
    source_id       text,
    location_id     uuid           not null,
    course_id       uuid,
    term_id         uuid,
    name            text           not null,
    number          text,
    display_name    text,
    name_text       text           not null generated always as (' ' || folded(
                        name || coalesce(' ' || number, '') || coalesce(' ' || display_name, ''))) stored,
    room            text,
    origin          text           not null default 'manual',
    archived_at     timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint class_pkey                primary key (organization_id, class_id),
    constraint class_source_id_is_unique unique (organization_id, source_id),
    constraint class_location            foreign key (organization_id, location_id) references location,
    constraint class_course              foreign key (organization_id, course_id) references course,
    constraint class_term                foreign key (organization_id, term_id) references term,
    constraint class_source_id_length    check (char_length(source_id) between 1 and 255),
    constraint class_has_a_name          check (name ~ '\S' and char_length(name) <= 256),
    constraint class_origin              check (origin in ('manual', 'import'))
);
create index class_location on class (organization_id, location_id);
create index class_course   on class (organization_id, course_id);
create index class_term     on class (organization_id, term_id);

-- Joining and leaving are also reported afterwards; but that a seat began before it was recorded opens no assignment
-- for the time until then. Nobody may set seated_by: the transaction says who writes.
create table seat (
    organization_id uuid           not null,
    class_id        uuid           not null,
    person_id       uuid           not null,
    role            text           not null,
    joined_at       timestamptz(3) not null default date_trunc('milliseconds', now()),
    left_at         timestamptz(3),
    recorded_at     timestamptz(3),
    seated_by       uuid           default nullif(current_setting('school.person', true), '')::uuid,
    source_id       text,
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint seat_pkey             primary key (organization_id, class_id, person_id, role, joined_at),
    constraint seat_class            foreign key (organization_id, class_id) references class,
    constraint seat_person           foreign key (organization_id, person_id) references person on delete cascade,
    constraint seat_role             check (role in ('student', 'teacher')),
    constraint seat_begins_then_ends check (left_at >= joined_at)
);
create unique index seat_is_taken_once on seat (organization_id, class_id, person_id, role)
    where left_at is null;
create index seat_person    on seat (organization_id, person_id, class_id);
create index seat_seated_by on seat (organization_id, seated_by) where role = 'teacher' and seated_by is not null;

alter table term   enable row level security;
alter table course enable row level security;
alter table class  enable row level security;
alter table seat   enable row level security;

comment on table  term is 'A school year or a part of it.';
comment on column term.parent_id is 'The larger term that it is a part of; null: none.';
comment on column term.name_text is 'Its name in lower case without accents, for search.';
comment on column term.ends_on is 'The first day after it.';
comment on column term.origin is 'import: an archive brought it, and it may overlap its siblings.';
comment on column term.closed_at is 'When it was closed and its classes archived; null: open.';
comment on column term.siblings_key is 'The same for terms of one kind with one parent.';

comment on table  course is 'A subject.';
comment on column course.name_text is 'Its name and number in lower case without accents, for search.';

comment on table  class is 'A group that is taught.';
comment on column class.term_id is 'The smallest term that covers the time for which it is taught; null: none.';
comment on column class.name_text is 'Its names and number in lower case without accents, for search.';
comment on column class.archived_at is 'From then on nobody joins and nothing is given; reports stay readable.';

comment on table  seat is 'Somebody sits in a class or teaches it, from joined_at until before left_at.';
comment on column seat.left_at is 'Null: still there.';
comment on column seat.recorded_at is
    'When it became known that the seat began at joined_at, where that was later; null: at once.';
comment on column seat.seated_by is 'Who seated this person, or prolonged the seat; null: no person.';
comment on column seat.source_id is 'The roster_id of the archive that brought it.';
