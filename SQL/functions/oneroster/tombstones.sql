-- Functions of tombstones: what leaves the directory for good is reported over OneRoster for 90 days.
--
-- The arguments of the triggers are the kind, an expression over the row g that is its sourcedId, one of the detail,
-- and one of the person whose it is. No system reads a development environment.

-- has_seat (internal): whether a person has a seat in a class and role, at any time.
create or replace function has_seat(p_organization_id uuid, p_class_id uuid, p_person_id uuid, p_role text)
    returns boolean language sql stable
    return exists (select from seat as s
                    where s.organization_id = p_organization_id and s.class_id = p_class_id
                      and s.person_id = p_person_id and s.role = p_role);

-- leave_tombstones(kind, sourced_id, detail, person): notes rows that were deleted. A seat is still there while the
-- person has another one in that role.
create or replace function leave_tombstones() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    execute format('insert into roster_tombstone (organization_id, kind, sourced_id, detail, person_id)
        select distinct on (g.organization_id, %2$s) g.organization_id, %1$L, %2$s, %3$s, %4$s from gone as g
         where not is_development(g.organization_id) and %2$s is not null
            on conflict on constraint roster_tombstone_pkey do update set left_at = excluded.left_at',
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

-- move_tombstone(kind, sourced_id, detail, person): the row has another sourcedId now.
create or replace function move_tombstone() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    before text;
    after  text;
    detail text;
    person uuid;
begin
    execute format('select %s, %s, %s from (select ($1).*) as g', tg_argv[1], coalesce(tg_argv[2], 'null'),
                   coalesce(tg_argv[3], 'null'))
       into before, detail, person using old;
    execute format('select %s from (select ($1).*) as g', tg_argv[1]) into after using new;
    if before is not null and not is_development(old.organization_id) then
        insert into roster_tombstone (organization_id, kind, sourced_id, detail, person_id)
        values (old.organization_id, tg_argv[0], before, detail, person)
            on conflict on constraint roster_tombstone_pkey do update set left_at = excluded.left_at;
    end if;
    delete from roster_tombstone
     where organization_id = new.organization_id and kind = tg_argv[0] and sourced_id = after;
    return null;
end $$;

-- erased_people: who was erased and when, as exports report it: our ids, which no longer identify anyone.
create or replace function erased_people()
    returns table (person_id uuid, erased_at timestamptz)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select d.subject_id, d.deleted_at::timestamptz from deletion as d
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
    for each statement execute function leave_tombstones('org', 'oneroster_id(g.source_id, g.location_id)');
create or replace trigger clear_tombstones after insert on location referencing new table as come
    for each statement execute function clear_tombstones('org', 'oneroster_id(g.source_id, g.location_id)');
create or replace trigger move_tombstone after update on location
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone('org', 'oneroster_id(g.source_id, g.location_id)');

create or replace trigger leave_tombstones after delete on term referencing old table as gone
    for each statement
    execute function leave_tombstones('academicSession', 'oneroster_id(g.source_id, g.term_id)', 'g.kind');
create or replace trigger clear_tombstones after insert on term referencing new table as come
    for each statement execute function clear_tombstones('academicSession', 'oneroster_id(g.source_id, g.term_id)');
create or replace trigger move_tombstone after update on term
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone('academicSession', 'oneroster_id(g.source_id, g.term_id)', 'g.kind');

create or replace trigger leave_tombstones after delete on course referencing old table as gone
    for each statement execute function leave_tombstones('course', 'oneroster_id(g.source_id, g.course_id)');
create or replace trigger clear_tombstones after insert on course referencing new table as come
    for each statement execute function clear_tombstones('course', 'oneroster_id(g.source_id, g.course_id)');
create or replace trigger move_tombstone after update on course
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone('course', 'oneroster_id(g.source_id, g.course_id)');

create or replace trigger leave_tombstones after delete on class referencing old table as gone
    for each statement execute function leave_tombstones('class', 'oneroster_id(g.source_id, g.class_id)');
create or replace trigger clear_tombstones after insert on class referencing new table as come
    for each statement execute function clear_tombstones('class', 'oneroster_id(g.source_id, g.class_id)');
create or replace trigger move_tombstone after update on class
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone('class', 'oneroster_id(g.source_id, g.class_id)');

-- The course that a class has while it has none of the directory's.
create or replace trigger leave_tombstones_of_courses after delete on class referencing old table as gone
    for each statement execute function leave_tombstones(
        'course', 'case when g.course_id is null then oneroster_course_of_class(g.class_id) end');
create or replace trigger move_tombstone_of_course after update on class
    for each row when ((old.course_id is null) <> (new.course_id is null))
    execute function move_tombstone(
        'course', 'case when g.course_id is null then oneroster_course_of_class(g.class_id) end');

create or replace trigger leave_tombstones after delete on person referencing old table as gone
    for each statement execute function leave_tombstones(
        'user', 'oneroster_id(g.source_id, g.person_id)', 'null', 'g.person_id');
create or replace trigger clear_tombstones after insert on person referencing new table as come
    for each statement execute function clear_tombstones('user', 'oneroster_id(g.source_id, g.person_id)');
create or replace trigger move_tombstone after update on person
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'user', 'oneroster_id(g.source_id, g.person_id)', 'null', 'g.person_id');

create or replace trigger leave_tombstones after delete on seat referencing old table as gone
    for each statement execute function leave_tombstones(
        'enrollment', 'case when not has_seat(g.organization_id, g.class_id, g.person_id, g.role)
              then oneroster_enrollment_id(g.source_id, g.class_id, g.person_id, g.role) end',
        'null', 'g.person_id');
create or replace trigger clear_tombstones after insert on seat referencing new table as come
    for each statement execute function clear_tombstones(
        'enrollment', 'oneroster_enrollment_id(g.source_id, g.class_id, g.person_id, g.role)');
create or replace trigger move_tombstone after update on seat
    for each row when (old.source_id is distinct from new.source_id)
    execute function move_tombstone(
        'enrollment', 'oneroster_enrollment_id(g.source_id, g.class_id, g.person_id, g.role)', 'null', 'g.person_id');
