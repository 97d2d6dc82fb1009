-- Functions of terms: closing a term with everything in it, and reopening it.

-- close_term: closes a term of the caller's organization with its parts, archives the classes in them, and writes one
-- event. Returns how many classes; closing again does nothing.
--
-- Seats are not changed: who taught a class or sat in it when it was archived follows from the time of archiving, and
-- so do the reports. Everything closed by one call has the same time, by which reopen_term() finds it.
create or replace function close_term(p_term_id uuid) returns integer
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    closed   uuid[];
    archived integer;
begin
    with recursive whole as (
        select term_id from term
         where organization_id = my_organization() and term_id = p_term_id and closed_at is null
        union
        select t.term_id from term as t
          join whole as w on w.term_id = t.parent_id
         where t.organization_id = my_organization()
    ), closing as (
        update term as t set closed_at = moment()
          from whole as w
         where t.organization_id = my_organization() and t.term_id = w.term_id and t.closed_at is null
        returning t.term_id)
    select array_agg(term_id) into closed from closing;
    if closed is null then
        return 0;
    end if;
    update class set archived_at = moment()
     where organization_id = my_organization() and term_id = any (closed) and archived_at is null;
    get diagnostics archived = row_count;
    perform audit('termClosing', 'term', p_term_id::text,
                  jsonb_build_object('terms', cardinality(closed), 'classes', archived));
    return archived;
end $$;

-- reopen_term: reopens a term, its parts that were closed with it, and the classes that were archived with them.
-- False if the larger term is closed.
create or replace function reopen_term(p_term_id uuid) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    closed   timestamptz;
    opened   uuid[];
    revived  integer;
begin
    select t.closed_at into closed from term as t
     where t.organization_id = my_organization() and t.term_id = p_term_id and t.closed_at is not null;
    if not found then
        return true;
    end if;
    if exists (select from term as t
                 join term as p on p.organization_id = t.organization_id and p.term_id = t.parent_id
                where t.organization_id = my_organization() and t.term_id = p_term_id
                  and p.closed_at is not null) then
        return false;
    end if;
    with recursive whole as (
        select term_id from term
         where organization_id = my_organization() and term_id = p_term_id
        union
        select t.term_id from term as t
          join whole as w on w.term_id = t.parent_id
         where t.organization_id = my_organization()
    ), opening as (
        update term as t set closed_at = null
          from whole as w
         where t.organization_id = my_organization() and t.term_id = w.term_id and t.closed_at = closed
        returning t.term_id)
    select array_agg(term_id) into opened from opening;
    update class set archived_at = null
     where organization_id = my_organization() and term_id = any (opened) and archived_at = closed;
    get diagnostics revived = row_count;
    perform audit('termReopening', 'term', p_term_id::text,
                  jsonb_build_object('terms', cardinality(opened), 'classes', revived));
    return true;
end $$;
-- closed_terms: those of the terms that are closed. The others cannot be closed before the transaction ends, so that
-- a class put into one is archived with it. Definer, because a manager, who creates classes, may not lock terms.
create or replace function closed_terms(p_term_ids uuid[]) returns setof uuid
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from term
      where organization_id = my_organization() and term_id = any (p_term_ids)
      order by term_id for share;
    return query select term_id from term
                  where organization_id = my_organization() and term_id = any (p_term_ids)
                    and closed_at is not null;
end $$;
grant execute on function closed_terms(uuid[]) to school_directory_manager, school_manager;
grant execute on function close_term(uuid), reopen_term(uuid) to school_directory_manager;

create or replace trigger bump_version before update on term
    for each row execute function bump_version();

-- bump_former_terms: a term that loses a part has changed: OneRoster lists its parts.
create or replace function bump_former_terms() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    left_by constant uuid[] := array(
        select f.parent_id from former as f
         where f.parent_id is not null and not exists (
               select from term as t
                where t.organization_id = f.organization_id and t.term_id = f.term_id and t.parent_id = f.parent_id));
begin
    -- The update calls this again, even where it changes nothing.
    if cardinality(left_by) > 0 then
        update term as t set updated_at = moment()
          from former as f
         where f.parent_id = any (left_by) and t.organization_id = f.organization_id and t.term_id = f.parent_id;
    end if;
    return null;
end $$;
create or replace trigger bump_former_terms_of_moved after update on term
    referencing old table as former for each statement execute function bump_former_terms();
create or replace trigger bump_former_terms_of_removed after delete on term
    referencing old table as former for each statement execute function bump_former_terms();
