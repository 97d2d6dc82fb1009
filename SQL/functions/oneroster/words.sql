-- Functions of OneRoster: which of its words mean what here, for imports and for what OneRoster reads.

-- roles_of_oneroster (internal): the roles here for a role of OneRoster; empty if there are none.
create or replace function roles_of_oneroster(p_role text) returns text[]
    language sql immutable parallel safe
    return case when p_role = 'student' then array['student']
                when p_role = 'teacher' then array['staff', 'teacher']
                when p_role in ('guardian', 'parent', 'relative') then array[]::text[]
                else array['staff'] end;

-- oneroster_role: the role of OneRoster 1.2 for a role here. Version 1.1 calls every kind of administrator that.
create or replace function oneroster_role(p_role text) returns text
    language sql immutable parallel safe
    return case p_role when 'student' then 'student'
                       when 'teacher' then 'teacher'
                       when 'staff' then 'aide'
                       when 'administrator' then 'districtAdministrator'
                       else 'siteAdministrator' end;

-- oneroster_id: the sourcedId of a record: its id in the information system of the school, otherwise ours.
create or replace function oneroster_id(p_source_id text, p_id uuid) returns text
    language sql immutable parallel safe
    return coalesce(p_source_id, p_id::text);

-- oneroster_enrollment_id: the sourcedId of who sits in or teaches a class. Its casts make it immutable, so that
-- PostgreSQL inlines it and finds the index of migration 0051.
create or replace function oneroster_enrollment_id(p_source_id text, p_class_id uuid, p_person_id uuid, p_role text)
    returns text language sql immutable parallel safe
    return coalesce(p_source_id, p_class_id::text || '_' || p_person_id::text || '_' || p_role);

-- oneroster_status: the status of a record that is there, or no longer.
create or replace function oneroster_status(p_is_active boolean) returns text
    language sql immutable parallel safe
    return case when p_is_active then 'active' else 'tobedeleted' end;

-- oneroster_default_term: the sourcedId of the term of classes that have none: OneRoster requires one.
create or replace function oneroster_default_term() returns text
    language sql immutable parallel safe
    return 'homeroom-year';

-- oneroster_course_of_class: the sourcedId of the course of a class that has none: OneRoster requires one.
create or replace function oneroster_course_of_class(p_class_id uuid) returns text
    language sql immutable parallel safe
    return 'course-of-' || p_class_id;

grant execute on function oneroster_role(text), oneroster_id(text, uuid), oneroster_status(boolean),
    oneroster_enrollment_id(text, uuid, uuid, text), oneroster_default_term(), oneroster_course_of_class(uuid)
    to school_roster_reader;
grant execute on function oneroster_id(text, uuid), oneroster_default_term(), oneroster_course_of_class(uuid)
    to school_directory_manager;
