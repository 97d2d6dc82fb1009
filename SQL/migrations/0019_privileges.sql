-- Privileges: what a school lets its teachers do beyond teaching, and the classes they make with it.
--
-- A privilege is set for one location or for the whole organization. A location's own setting comes first, then the
-- organization's; where neither is set, privilege_is_granted() has the default.

create table privilege (
    organization_id uuid    not null,
    name            text    not null,
    location_id     uuid,
    is_granted      boolean not null,

    constraint privilege_is_set_once  unique nulls not distinct (organization_id, name, location_id),
    constraint privilege_organization foreign key (organization_id) references organization,
    constraint privilege_location     foreign key (organization_id, location_id) references location on delete cascade,
    constraint privilege_name         check (name in ('makeClasses', 'resetPasswords'))
);
create index privilege_location on privilege (organization_id, location_id);

-- How often a teacher searched for people to add to a class on one day: only the last day is kept.
create table roster_search (
    organization_id uuid    not null,
    person_id       uuid    not null,
    searched_on     date    not null,
    searches        integer not null,

    constraint roster_search_pkey   primary key (organization_id, person_id),
    constraint roster_search_person foreign key (organization_id, person_id) references person on delete cascade
);

-- A class of the origin 'teacher' was made with the privilege. Once it has a source_id, it is the school's own.
alter table class drop constraint class_origin;
alter table class
    add column made_by uuid,
    add constraint class_origin check (origin in ('manual', 'import', 'teacher'));
create index class_made_by on class (organization_id, made_by) where made_by is not null;

alter table privilege     enable row level security;
alter table roster_search enable row level security;

comment on table  privilege is 'What teachers may do beyond teaching, at a location or in the whole organization.';
comment on column privilege.location_id is 'Null: the whole organization.';
comment on table  roster_search is 'How often a teacher searched for people to add to a class, on the last day.';
comment on column class.made_by is 'The teacher who made it with the privilege; null: none, or erased since.';
