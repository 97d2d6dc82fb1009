-- Functions of OneRoster: which records a page of a whole collection has.
--
-- Each page function returns up to p_limit records that are in the roster now, in the order of their sourcedIds, after
-- the one with the sourcedId p_after and without the first p_skip. They run as their owner, and check the organization
-- themselves, because a comparison with the text that a sourcedId is made of is not leakproof: under row-level security
-- PostgreSQL would read the roster from its beginning for every page. Of people and classes they return ids alone, and
-- what the caller may see of them is read under the policies.

-- oneroster_user_page: people of oneroster_users().
create or replace function oneroster_user_page(p_after text, p_skip integer, p_limit integer)
    returns table (place bigint, id uuid)
    language plpgsql stable security definer rows 100
    set search_path = school, pg_temp set jit = off as $$
begin
    return query
    select row_number() over (), k.person_id
      from (select p.person_id from person as p
             where p.organization_id = my_organization() and p.deactivated_at is null
               and oneroster_id(p.source_id, p.person_id) collate "C" > p_after
             order by oneroster_id(p.source_id, p.person_id) collate "C" limit p_limit offset p_skip) as k;
end $$;

-- oneroster_class_page: classes of oneroster_classes().
create or replace function oneroster_class_page(p_after text, p_skip integer, p_limit integer)
    returns table (place bigint, id uuid)
    language plpgsql stable security definer rows 100
    set search_path = school, pg_temp set jit = off as $$
begin
    return query
    select row_number() over (), k.class_id
      from (select c.class_id from class as c
             where c.organization_id = my_organization() and c.archived_at is null
               and oneroster_id(c.source_id, c.class_id) collate "C" > p_after
             order by oneroster_id(c.source_id, c.class_id) collate "C" limit p_limit offset p_skip) as k;
end $$;

-- oneroster_enrollment_page: whole rows of oneroster_seats(). A pull of a district reads millions of them, and a join
-- by keys takes three times as long. Roster readers may read all of a seat (policies/oneroster.sql).
create or replace function oneroster_enrollment_page(
    p_after text, p_skip integer, p_limit integer)
    returns table (place bigint, source_id text, class_id uuid, person_id uuid, sourced_id text, is_active boolean,
                   status text, changed_at timestamptz, person text, class text, school text, role text,
                   begins_on date, ends_on date)
    language plpgsql stable security definer rows 100
    set search_path = school, pg_temp set jit = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
    present constant timestamptz := moment();
begin
    return query
    select row_number() over (), k.*
      from (select x.* from oneroster_seats(present) as x
             where my_organization() is not null and x.is_active and x.sourced_id collate "C" > p_after
             order by x.sourced_id collate "C" limit p_limit offset p_skip) as k;
end $$;

-- The sourcedIds of every p_step-th of the same records, and how many records there are: a page that begins far behind
-- the first is found from the mark before it.
create or replace function oneroster_user_marks(p_step integer) returns table (total bigint, marks text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off as $$
begin
    return query
    select count(*), coalesce(array_agg(k.sourced_id order by k.place) filter (where k.place % p_step = 0), '{}')
      from (select row_number() over (order by oneroster_id(p.source_id, p.person_id) collate "C") as place,
                   oneroster_id(p.source_id, p.person_id) as sourced_id
              from person as p
             where p.organization_id = my_organization() and p.deactivated_at is null) as k;
end $$;

create or replace function oneroster_class_marks(p_step integer) returns table (total bigint, marks text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off as $$
begin
    return query
    select count(*), coalesce(array_agg(k.sourced_id order by k.place) filter (where k.place % p_step = 0), '{}')
      from (select row_number() over (order by oneroster_id(c.source_id, c.class_id) collate "C") as place,
                   oneroster_id(c.source_id, c.class_id) as sourced_id
              from class as c
             where c.organization_id = my_organization() and c.archived_at is null) as k;
end $$;

-- Every seat has a person and a class. To leave out those who are gone, and not to join those who are there, keeps the
-- order of the index without a sort, and takes two thirds of the time. PostgreSQL hashes as many as fit in work_mem.
create or replace function oneroster_enrollment_marks(p_step integer)
    returns table (total bigint, marks text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off set work_mem = '64MB' as $$
declare
    present constant timestamptz := moment();
begin
    return query
    select count(*), coalesce(array_agg(k.sourced_id order by k.place) filter (where k.place % p_step = 0), '{}')
      from (select row_number() over (order by e.sourced_id collate "C") as place, e.sourced_id
              from (select oneroster_enrollment_id(s.source_id, s.class_id, s.person_id, s.role) as sourced_id
                      from seat as s
                     where s.organization_id = my_organization() and is_seated(s, present)
                       and s.person_id not in (
                           select p.person_id from person as p
                            where p.organization_id = my_organization() and p.deactivated_at is not null)
                       and s.class_id not in (
                           select c.class_id from class as c
                            where c.organization_id = my_organization() and c.archived_at is not null)) as e) as k;
end $$;

grant execute on function oneroster_user_page(text, integer, integer), oneroster_class_page(text, integer, integer),
    oneroster_enrollment_page(text, integer, integer), oneroster_user_marks(integer),
    oneroster_class_marks(integer), oneroster_enrollment_marks(integer) to school_roster_reader;
