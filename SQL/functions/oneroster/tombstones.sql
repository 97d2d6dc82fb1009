-- Functions of tombstones: what leaves the directory for good is reported over OneRoster for 90 days.
--
-- The arguments of the triggers are the kind, an expression over the row g that is its sourcedId, one of what is kept,
-- and one of the person whose it is. No system reads a development environment.
--
-- What is kept satisfies the schemas of the standard: the kind of a session, titles, and references by sourcedId. Of
-- people only the roles are kept: a user that has left is called - -.

-- kept_school (internal): the sourcedId of a location.
create or replace function kept_school(p_organization_id uuid, p_location_id uuid) returns text
    language sql stable
    return (select oneroster_id(l.source_id, l.location_id) from location as l
             where l.organization_id = p_organization_id and l.location_id = p_location_id);

-- has_seat (internal): whether a person has a seat in a class and role, at any time.
create or replace function has_seat(p_organization_id uuid, p_class_id uuid, p_person_id uuid, p_role text)
    returns boolean language sql stable
    return exists (select from seat as s
                    where s.organization_id = p_organization_id and s.class_id = p_class_id
                      and s.person_id = p_person_id and s.role = p_role);

-- kept_class (internal): what a tombstone keeps of a class: its title, course, school and term.
create or replace function kept_class(
    p_organization_id uuid, p_class_id uuid, p_name text, p_course_id uuid, p_location_id uuid, p_term_id uuid)
    returns jsonb language sql stable
    return jsonb_build_object(
        'title', p_name,
        'course', coalesce((select oneroster_id(k.source_id, k.course_id) from course as k
                             where k.organization_id = p_organization_id and k.course_id = p_course_id),
                           oneroster_course_of_class(p_class_id)),
        'school', kept_school(p_organization_id, p_location_id),
        'term', coalesce((select oneroster_id(t.source_id, t.term_id) from term as t
                           where t.organization_id = p_organization_id and t.term_id = p_term_id),
                         oneroster_default_term()));

-- kept_enrollment (internal): what a tombstone keeps of an enrollment: its user, class, school and role.
create or replace function kept_enrollment(
    p_organization_id uuid, p_class_id uuid, p_person_id uuid, p_role text)
    returns jsonb language sql stable
    return (select jsonb_build_object(
                'user', (select oneroster_id(p.source_id, p.person_id) from person as p
                          where p.organization_id = p_organization_id and p.person_id = p_person_id),
                'class', oneroster_id(c.source_id, c.class_id),
                'school', kept_school(p_organization_id, c.location_id), 'role', p_role)
              from class as c where c.organization_id = p_organization_id and c.class_id = p_class_id);

-- kept_session (internal): what a tombstone keeps of a term: its title, kind and days, and the year in which it ends.
create or replace function kept_session(p_name text, p_kind text, p_starts_on date, p_ends_on date)
    returns jsonb language sql stable
    return jsonb_build_object('title', p_name, 'kind', p_kind, 'starts_on', p_starts_on, 'ends_on', p_ends_on,
                              'school_year', extract(year from p_ends_on - 1)::text);

-- kept_user (internal): what a tombstone keeps of a person: name, kind and org of each role in turn.
create or replace function kept_user(p_organization_id uuid, p_person_id uuid)
    returns jsonb language sql stable
    return jsonb_build_object('roles', to_jsonb(array(
        select f.fact from oneroster_roles() as r
         cross join lateral (values (1, r.role), (2, r.kind), (3, r.org)) as f (n, fact)
         where r.organization_id = p_organization_id and r.person_id = p_person_id
         order by r.place, r.org, f.n)));

-- leave_tombstones(kind, sourced_id, kept, person): notes rows that were deleted. A seat is still there while the
-- person has another one in that role.
create or replace function leave_tombstones() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    execute format('insert into roster_tombstone (organization_id, kind, sourced_id, kept, person_id)
        select distinct on (g.organization_id, %2$s) g.organization_id, %1$L, %2$s, %3$s, %4$s from gone as g
         where not is_development(g.organization_id) and %2$s is not null
            on conflict on constraint roster_tombstone_pkey
            do update set left_at = excluded.left_at, kept = excluded.kept',
        tg_argv[0], tg_argv[1], coalesce(tg_argv[2], 'null'), coalesce(tg_argv[3], 'null'));
    return null;
end $$;

-- clear_tombstones(kind, sourced_id): forgets those of rows that are there again.
create or replace function clear_tombstones() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if exists (select from roster_tombstone where kind = tg_argv[0]) then
        execute format('delete from roster_tombstone as t using come as g
            where t.organization_id = g.organization_id and t.kind = %L and t.sourced_id = %s',
            tg_argv[0], tg_argv[1]);
    end if;
    return null;
end $$;

-- move_tombstone(kind, sourced_id, kept, person): the row has another sourcedId now, or is about to go.
create or replace function move_tombstone() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    before text;
    after  text;
    kept   jsonb;
    person uuid;
begin
    execute format('select %s, %s, %s from (select ($1).*) as g', tg_argv[1], coalesce(tg_argv[2], 'null'),
                   coalesce(tg_argv[3], 'null'))
       into before, kept, person using old;
    if before is not null and not is_development(old.organization_id) then
        insert into roster_tombstone (organization_id, kind, sourced_id, kept, person_id)
        values (old.organization_id, tg_argv[0], before, kept, person)
            on conflict on constraint roster_tombstone_pkey
            do update set left_at = excluded.left_at, kept = excluded.kept;
    end if;
    if tg_op = 'DELETE' then
        return old;
    end if;
    execute format('select %s from (select ($1).*) as g', tg_argv[1]) into after using new;
    delete from roster_tombstone
     where organization_id = new.organization_id and kind = tg_argv[0] and sourced_id = after;
    return null;
end $$;

-- erased_people: who was erased and when, as exports report it: our ids, which no longer identify anyone, and the roles
-- of OneRoster.
create or replace function erased_people()
    returns table (person_id uuid, erased_at timestamptz, roles text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select d.subject_id, d.deleted_at::timestamptz, d.roles from deletion as d
                  where d.organization_id = my_organization() and d.kind = 'person'
                    and d.deleted_at > moment() - interval '90 days';
end $$;
grant execute on function erased_people() to school_roster_reader;

-- forget_tombstones (internal): removes tombstones after 90 days, those of the gradebook as well, up to p_limit of each
-- kind. Returns how many.
create or replace function forget_tombstones(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    oldest  constant timestamptz := removal_moment() - interval '90 days';
    removed bigint;
    most    bigint;
begin
    delete from roster_tombstone where ctid = any (array(
        select ctid from roster_tombstone
         where left_at <= oldest and not is_at_rest(organization_id) limit p_limit for update skip locked));
    get diagnostics most = row_count;
    delete from grade where ctid = any (array(
        select ctid from grade
         where deleted_at <= oldest and not is_at_rest(organization_id) limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    most := greatest(most, removed);
    delete from gradebook_item where ctid = any (array(
        select i.ctid from gradebook_item as i
         where i.deleted_at <= oldest and not is_at_rest(i.organization_id) and not exists (
               select from grade as g
                where g.organization_id = i.organization_id and g.gradebook_item_id = i.gradebook_item_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    most := greatest(most, removed);
    -- What still names one shows none, but has to keep the reference for the foreign key.
    delete from gradebook_category where ctid = any (array(
        select c.ctid from gradebook_category as c
         where c.deleted_at <= oldest and not is_at_rest(c.organization_id) and not exists (
               select from gradebook_item as i
                where i.organization_id = c.organization_id and i.gradebook_category_id = c.gradebook_category_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    most := greatest(most, removed);
    delete from gradebook_scale where ctid = any (array(
        select s.ctid from gradebook_scale as s
         where s.deleted_at <= oldest and not is_at_rest(s.organization_id) and not exists (
               select from gradebook_item as i
                where i.organization_id = s.organization_id and i.gradebook_scale_id = s.gradebook_scale_id)
           and not exists (
               select from grade as g
                where g.organization_id = s.organization_id and g.gradebook_scale_id = s.gradebook_scale_id)
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return greatest(most, removed);
end $$;

create or replace trigger leave_tombstones after delete on location referencing old table as gone
    for each statement execute function leave_tombstones(
        'org', 'oneroster_id(g.source_id, g.location_id)',
        'jsonb_build_object(''title'', g.name)');
create or replace trigger clear_tombstones after insert on location referencing new table as come
    for each statement execute function clear_tombstones('org', 'oneroster_id(g.source_id, g.location_id)');
create or replace trigger move_tombstone after update on location
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'org', 'oneroster_id(g.source_id, g.location_id)',
        'jsonb_build_object(''title'', g.name)');

create or replace trigger leave_tombstones after delete on term referencing old table as gone
    for each statement
    execute function leave_tombstones('academicSession', 'oneroster_id(g.source_id, g.term_id)',
        'kept_session(g.name, g.kind, g.starts_on, g.ends_on)');
create or replace trigger clear_tombstones after insert on term referencing new table as come
    for each statement execute function clear_tombstones('academicSession', 'oneroster_id(g.source_id, g.term_id)');
create or replace trigger move_tombstone after update on term
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone('academicSession', 'oneroster_id(g.source_id, g.term_id)',
        'kept_session(g.name, g.kind, g.starts_on, g.ends_on)');

create or replace trigger leave_tombstones after delete on course referencing old table as gone
    for each statement execute function leave_tombstones(
        'course', 'oneroster_id(g.source_id, g.course_id)',
        'jsonb_build_object(''title'', g.name, ''org'', kept_school(g.organization_id, g.location_id))');
create or replace trigger clear_tombstones after insert on course referencing new table as come
    for each statement execute function clear_tombstones('course', 'oneroster_id(g.source_id, g.course_id)');
create or replace trigger move_tombstone after update on course
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'course', 'oneroster_id(g.source_id, g.course_id)',
        'jsonb_build_object(''title'', g.name, ''org'', kept_school(g.organization_id, g.location_id))');

create or replace trigger leave_tombstones after delete on class referencing old table as gone
    for each statement execute function leave_tombstones(
        'class', 'oneroster_id(g.source_id, g.class_id)',
        'kept_class(g.organization_id, g.class_id, g.name, g.course_id, g.location_id, g.term_id)');
create or replace trigger clear_tombstones after insert on class referencing new table as come
    for each statement execute function clear_tombstones('class', 'oneroster_id(g.source_id, g.class_id)');
create or replace trigger move_tombstone after update on class
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'class', 'oneroster_id(g.source_id, g.class_id)',
        'kept_class(g.organization_id, g.class_id, g.name, g.course_id, g.location_id, g.term_id)');

-- The course that a class has while it has none of the directory's.
create or replace trigger leave_tombstones_of_courses after delete on class referencing old table as gone
    for each statement execute function leave_tombstones(
        'course', 'case when g.course_id is null then oneroster_course_of_class(g.class_id) end',
        'jsonb_build_object(''title'', g.name, ''org'', kept_school(g.organization_id, g.location_id))');
create or replace trigger move_tombstone_of_course after update on class
    for each row when ((old.course_id is null) <> (new.course_id is null))
    execute function move_tombstone(
        'course', 'case when g.course_id is null then oneroster_course_of_class(g.class_id) end',
        'jsonb_build_object(''title'', g.name, ''org'', kept_school(g.organization_id, g.location_id))');

-- Before the row goes, because its roles go first of all that hangs on it.
drop trigger if exists leave_tombstones on person;
create or replace trigger leave_tombstone before delete on person
    for each row execute function move_tombstone(
        'user', 'oneroster_id(g.source_id, g.person_id)', 'kept_user(g.organization_id, g.person_id)', 'g.person_id');
create or replace trigger clear_tombstones after insert on person referencing new table as come
    for each statement execute function clear_tombstones('user', 'oneroster_id(g.source_id, g.person_id)');
create or replace trigger move_tombstone after update on person
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'user', 'oneroster_id(g.source_id, g.person_id)', 'kept_user(g.organization_id, g.person_id)', 'g.person_id');

create or replace trigger leave_tombstones after delete on seat referencing old table as gone
    for each statement execute function leave_tombstones(
        'enrollment', 'case when not has_seat(g.organization_id, g.class_id, g.person_id, g.role)
              then oneroster_enrollment_id(g.source_id, g.class_id, g.person_id, g.role) end',
        'kept_enrollment(g.organization_id, g.class_id, g.person_id, g.role)', 'g.person_id');
create or replace trigger clear_tombstones after insert on seat referencing new table as come
    for each statement execute function clear_tombstones(
        'enrollment', 'oneroster_enrollment_id(g.source_id, g.class_id, g.person_id, g.role)');
create or replace trigger move_tombstone after update on seat
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'enrollment', 'oneroster_enrollment_id(g.source_id, g.class_id, g.person_id, g.role)',
        'kept_enrollment(g.organization_id, g.class_id, g.person_id, g.role)', 'g.person_id');
