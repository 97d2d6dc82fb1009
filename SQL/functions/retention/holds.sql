-- Functions of holds: what must not be removed, whatever a rule says.

-- held_classes (internal): classes for which a hold stands, or for someone who is or was in them.
create or replace function held_classes(p_organization_id uuid) returns setof uuid language sql stable
begin atomic
    select k.class_id from retention_hold as k
     where k.organization_id = p_organization_id and k.class_id is not null
    union
    select s.class_id from retention_hold as k
      join seat as s on s.organization_id = k.organization_id and s.person_id = k.person_id
     where k.organization_id = p_organization_id;
end;

-- held_people (internal): people for whom a hold stands, or for a class that they are or were in.
create or replace function held_people(p_organization_id uuid) returns setof uuid language sql stable
begin atomic
    select k.person_id from retention_hold as k
     where k.organization_id = p_organization_id and k.person_id is not null
    union
    select s.person_id from retention_hold as k
      join seat as s on s.organization_id = k.organization_id and s.class_id = k.class_id
     where k.organization_id = p_organization_id;
end;

-- keep_held_activities: refuses to delete activities of held people, whatever deletes them.
create or replace function keep_held_activities() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if exists (select from (select distinct organization_id from gone) as o
                cross join lateral held_people(o.organization_id) as h (person_id)
                 join gone as g on g.organization_id = o.organization_id and g.person_id = h.person_id) then
        raise exception 'a hold stands for this data'
            using errcode = 'check_violation', constraint = 'retention_hold_stands';
    end if;
    return null;
end $$;

create or replace trigger keep_held_activities after delete on activity
    referencing old table as gone for each statement execute function keep_held_activities();
