-- Functions of OneRoster: the revision of the roster, by which clients notice that it changed between two pages.

-- note_roster_change: counts a transaction that changes the roster of an organization. Roles and seats need no
-- trigger: they change their person and their class (bump_parent). No system reads a development environment.
--
-- The transaction remembers the organization that it counted last, so that it need not look for its row among all
-- others. What is undone to a savepoint is forgotten with its row.
create or replace function note_roster_change() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    counted text;
begin
    with added as (
        insert into roster_change (organization_id, change_id)
        select c.organization_id, new_id() from (select distinct organization_id from changed) as c
         where c.organization_id::text is distinct from current_setting('school.changed_roster', true)
           and not is_development(c.organization_id)
        returning organization_id)
    select organization_id into counted from added;
    if found then
        perform set_config('school.changed_roster', counted, true);
    end if;
    return null;
end $$;

-- roster_revision: names the state of the roster of the caller's organization: how often it was changed, and the last
-- moment at which a seat began or ended, or the year began. Every answer about the roster asks for it: with a plan of its
-- own for each moment, it would take seven times as long.
create or replace function roster_revision() returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
    own     constant uuid := my_organization();
    present constant timestamptz := moment();
begin
    return (select coalesce(sum(changes), 0) from roster_change where organization_id = own) || '.'
        || coalesce((extract(epoch from greatest(date_trunc('year', present),
               (select max(joined_at) from seat where organization_id = own and joined_at <= present),
               (select max(left_at) from seat where organization_id = own and left_at <= present))) * 1000)::bigint, 0);
end $$;
grant execute on function roster_revision() to school_roster_reader;

-- add_up_roster_changes (internal): makes one row of an organization's changes, for up to p_limit rows, so that few are
-- left to sum up; returns how many it took. Rows of one organization come together, so that each call leaves fewer.
create or replace function add_up_roster_changes(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    taken bigint;
begin
    with gone as (
        delete from roster_change where ctid = any (array(
            select r.ctid from roster_change as r
             where not is_at_rest(r.organization_id) and exists (
                   select from roster_change as other
                    where other.organization_id = r.organization_id and other.change_id <> r.change_id)
             order by r.organization_id limit p_limit for update of r skip locked))
        returning organization_id, changes, changed_at),
    added as (
        insert into roster_change (organization_id, change_id, changes, changed_at)
        select organization_id, new_id(), sum(changes), max(changed_at) from gone group by organization_id)
    select count(*) into taken from gone;
    return taken;
end $$;

create or replace trigger note_change_of_organization after update on organization
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_new_location after insert on location
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_changed_location after update on location
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_old_location after delete on location
    referencing old table as changed for each statement execute function note_roster_change();
create or replace trigger note_new_person after insert on person
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_changed_person after update on person
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_old_person after delete on person
    referencing old table as changed for each statement execute function note_roster_change();
create or replace trigger note_new_course after insert on course
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_changed_course after update on course
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_old_course after delete on course
    referencing old table as changed for each statement execute function note_roster_change();
create or replace trigger note_new_class after insert on class
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_changed_class after update on class
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_old_class after delete on class
    referencing old table as changed for each statement execute function note_roster_change();
create or replace trigger note_new_term after insert on term
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_changed_term after update on term
    referencing new table as changed for each statement execute function note_roster_change();
create or replace trigger note_old_term after delete on term
    referencing old table as changed for each statement execute function note_roster_change();
