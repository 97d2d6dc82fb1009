-- Functions of OneRoster: the revision of the roster, by which clients notice that it changed between two pages.

-- note_roster_change: counts a transaction that changes the roster of an organization. Roles and seats need no
-- trigger: they change their person and their class (bump_parent). No system reads a development environment.
create or replace function note_roster_change() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into roster_change (organization_id, change_id)
    select c.organization_id, new_id() from (select distinct organization_id from changed) as c
     where not is_development(c.organization_id)
       and not exists (select from roster_change as r
                        where r.organization_id = c.organization_id and r.xmin = pg_current_xact_id()::xid);
    return null;
end $$;

-- roster_revision: names the state of the roster of the caller's organization: how often it was changed, and the last
-- moment at which a seat began or ended, or the year began.
create or replace function roster_revision() returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    own constant uuid := my_organization();
begin
    return (select coalesce(sum(changes), 0) from roster_change where organization_id = own) || '.'
        || coalesce((extract(epoch from greatest(date_trunc('year', now()),
               (select max(joined_at) from seat where organization_id = own and joined_at <= now()),
               (select max(left_at) from seat where organization_id = own and left_at <= now()))) * 1000)::bigint, 0);
end $$;
grant execute on function roster_revision() to school_roster_reader;

-- add_up_roster_changes (internal): makes one row of an organization's changes that are older than an hour, for up to
-- p_limit rows.
create or replace function add_up_roster_changes(p_limit integer) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    with gone as (
        delete from roster_change where ctid = any (array(
            select r.ctid from roster_change as r
             where r.changed_at <= now() - interval '1 hour' and not is_at_rest(r.organization_id) and exists (
                   select from roster_change as other
                    where other.organization_id = r.organization_id and other.change_id <> r.change_id
                      and other.changed_at <= now() - interval '1 hour')
             limit p_limit for update of r skip locked))
        returning organization_id, changes, changed_at)
    insert into roster_change (organization_id, change_id, changes, changed_at)
    select organization_id, new_id(), sum(changes), max(changed_at) from gone group by organization_id;
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
