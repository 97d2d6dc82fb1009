-- Functions of holds: what must not be removed, whatever a rule says.

-- is_class_held (internal): whether a hold stands for the class, or for someone who is or was in it.
create or replace function is_class_held(p_organization_id uuid, p_class_id uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
    return exists (
        select from retention_hold as k
         where k.organization_id = p_organization_id
           and (k.class_id = p_class_id or k.person_id in (
                select s.person_id from seat as s
                 where s.organization_id = p_organization_id and s.class_id = p_class_id)));

-- is_person_held (internal): whether a hold stands for the person, or for a class that he or she is or was in.
create or replace function is_person_held(p_organization_id uuid, p_person_id uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
    return exists (
        select from retention_hold as k
         where k.organization_id = p_organization_id
           and (k.person_id = p_person_id or k.class_id in (
                select s.class_id from seat as s
                 where s.organization_id = p_organization_id and s.person_id = p_person_id)));

-- keep_held_activities: refuses to delete activities of whom or what is held, whatever deletes them.
create or replace function keep_held_activities() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if exists (select from gone as g
                 join retention_hold as k on k.organization_id = g.organization_id and k.person_id = g.person_id)
       or exists (select from gone as g
                   join retention_hold as k on k.organization_id = g.organization_id
                   join seat as s on s.organization_id = k.organization_id and s.class_id = k.class_id
                                 and s.person_id = g.person_id) then
        raise exception 'a hold stands for this data'
            using errcode = 'check_violation', constraint = 'retention_hold_stands';
    end if;
    return null;
end $$;

create or replace trigger keep_held_activities after delete on activity
    referencing old table as gone for each statement execute function keep_held_activities();
