-- Directory: locations, people and their roles, courses, classes and who sits in them.
--
-- A seat is never deleted: it ends. What somebody could see or record on a day of the past must
-- stay known, and last year's reports must still add up.

set local role school_owner;
set local search_path = school, pg_temp;

create table location (
    organization_id uuid           not null,
    location_id     uuid           not null,
    source_id       text,
    name            text           not null,
    time_zone       text,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint location_pkey              primary key (organization_id, location_id),
    constraint location_organization      foreign key (organization_id) references organization,
    constraint location_source_id_is_unique unique (organization_id, source_id),
    constraint location_has_a_name        check (name ~ '\S' and char_length(name) <= 256),
    constraint location_source_id_length  check (char_length(source_id) between 1 and 255)
);

create table person (
    organization_id    uuid           not null,
    person_id          uuid           not null,
    source_id          text,
    given_name         text           not null,
    middle_name        text,
    family_name        text           not null,
    person_number      text,
    managed_id         text           not null,
    managed_id_key     text           not null generated always as (lower(managed_id)) stored,
    email              text,
    grade              text,
    password_policy    text,
    origin             text           not null default 'manual',
    is_progress_paused boolean        not null default false,
    first_sign_in_at   timestamptz(3),
    deactivated_at     timestamptz(3),
    status             text           not null generated always as (
                           case when deactivated_at is not null then 'deactivated'
                                when first_sign_in_at is null   then 'new'
                                else 'active' end) stored,
    version            bigint         not null default 1,
    created_at         timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at         timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint person_pkey                   primary key (organization_id, person_id),
    constraint person_organization           foreign key (organization_id) references organization,
    constraint person_managed_id_is_reserved foreign key (organization_id, person_id, managed_id_key)
        references managed_id_directory (organization_id, person_id, managed_id),
    constraint person_source_id_is_unique    unique (organization_id, source_id),
    constraint person_source_id_length       check (char_length(source_id) between 1 and 255),
    constraint person_has_a_given_name       check (given_name ~ '\S' and char_length(given_name) <= 256),
    constraint person_has_a_family_name      check (family_name ~ '\S' and char_length(family_name) <= 256),
    constraint person_password_policy        check (password_policy in ('4', '6', '8')),
    constraint person_origin                 check (origin in ('manual', 'import'))
);
create index person_name       on person (organization_id, family_name, given_name, person_id);
create index person_managed_id on person (organization_id, managed_id_key);

alter table credential   add constraint credential_person   foreign key (organization_id, person_id)
    references person on delete cascade;
alter table session      add constraint session_person      foreign key (organization_id, person_id)
    references person on delete cascade;
alter table access_token add constraint access_token_person foreign key (organization_id, person_id)
    references person on delete cascade;

create table person_role (
    organization_id uuid           not null,
    person_id       uuid           not null,
    location_id     uuid           not null,
    role            text           not null,
    origin          text           not null default 'manual',
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint person_role_pkey     primary key (organization_id, person_id, location_id, role),
    constraint person_role_person   foreign key (organization_id, person_id)
                                    references person on delete cascade,
    constraint person_role_location foreign key (organization_id, location_id) references location,
    constraint person_role_role     check (role in ('administrator', 'siteManager', 'peopleManager',
        'contentManager', 'manager', 'teacher', 'staff', 'student')),
    constraint person_role_origin   check (origin in ('manual', 'import'))
);
create index person_role_location on person_role (organization_id, location_id);

create table course (
    organization_id uuid           not null,
    course_id       uuid           not null,
    source_id       text,
    location_id     uuid           not null,
    name            text           not null,
    number          text,
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint course_pkey              primary key (organization_id, course_id),
    constraint course_location          foreign key (organization_id, location_id) references location,
    constraint course_source_id_is_unique unique (organization_id, source_id),
    constraint course_source_id_length  check (char_length(source_id) between 1 and 255),
    constraint course_has_a_name        check (name ~ '\S' and char_length(name) <= 256)
);
create index course_location on course (organization_id, location_id);

create table class (
    organization_id uuid           not null,
    class_id        uuid           not null,
    source_id       text,
    location_id     uuid           not null,
    course_id       uuid,
    name            text           not null,
    number          text,
    display_name    text,
    room            text,
    origin          text           not null default 'manual',
    archived_at     timestamptz(3),
    version         bigint         not null default 1,
    created_at      timestamptz(3) not null default date_trunc('milliseconds', now()),
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint class_pkey              primary key (organization_id, class_id),
    constraint class_location          foreign key (organization_id, location_id) references location,
    constraint class_course            foreign key (organization_id, course_id) references course,
    constraint class_source_id_is_unique unique (organization_id, source_id),
    constraint class_source_id_length  check (char_length(source_id) between 1 and 255),
    constraint class_has_a_name        check (name ~ '\S' and char_length(name) <= 256),
    constraint class_origin            check (origin in ('manual', 'import'))
);
create index class_location on class (organization_id, location_id);
create index class_course   on class (organization_id, course_id);

create table seat (
    organization_id uuid           not null,
    class_id        uuid           not null,
    person_id       uuid           not null,
    role            text           not null,
    joined_at       timestamptz(3) not null default date_trunc('milliseconds', now()),
    left_at         timestamptz(3),
    source_id       text,
    updated_at      timestamptz(3) not null default date_trunc('milliseconds', now()),

    constraint seat_pkey              primary key (organization_id, class_id, person_id, role, joined_at),
    constraint seat_class             foreign key (organization_id, class_id) references class,
    constraint seat_person            foreign key (organization_id, person_id)
                                      references person on delete cascade,
    constraint seat_role              check (role in ('student', 'teacher')),
    constraint seat_begins_then_ends  check (left_at >= joined_at)
);
create unique index seat_is_taken_once on seat (organization_id, class_id, person_id, role)
    where left_at is null;
create index seat_person on seat (organization_id, person_id, class_id);

alter table location    enable row level security;
alter table person      enable row level security;
alter table person_role enable row level security;
alter table course      enable row level security;
alter table class       enable row level security;
alter table seat        enable row level security;

comment on table  location         is 'A site of the organization.';
comment on column location.source_id is 'Its id in the information system of the school, as in every table.';
comment on table  person           is 'Somebody with a managed ID.';
comment on column person.managed_id_key is 'The managed ID in lower case, as it stands in managed_id_directory.';
comment on column person.origin    is 'import: a full archive that leaves the person out deactivates it.';
comment on column person.is_progress_paused is 'On: every uploaded activity of this student is dropped.';
comment on table  person_role      is 'A role that a person holds at a location.';
comment on column person_role.origin is 'import: taken again when the archive no longer implies it.';
comment on table  course           is 'A subject.';
comment on table  class            is 'A group that is taught.';
comment on column class.archived_at is 'From then on nobody joins and nothing is given; reports stay readable.';
comment on table  seat             is 'Somebody sits in a class or teaches it, from joined_at until before left_at.';
comment on column seat.left_at     is 'Null: still there.';
comment on column seat.source_id   is 'The roster_id of the archive that brought it.';
