-- Erasing a person: the tables of personal_data(), one after the other.

-- erasure_receipt (internal): the receipt of an erasure; no row if there was none. The counts are gone once a rule of
-- retention has removed the event; that the person was erased stays known to exports.
create or replace function erasure_receipt(p_person_id uuid) returns table (erased_at timestamptz, counts jsonb)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select r.erased_at::timestamptz, r.counts
      from (select e.arrived_at as erased_at, e.details -> 'counts' as counts from audit_event as e
             where e.organization_id = my_organization() and e.subject_id = p_person_id::text
               and e.kind = 'erasure' and e.subject_kind = 'person'
            union all
            select d.deleted_at, '{}' from deletion as d
             where d.organization_id = my_organization() and d.kind = 'person' and d.subject_id = p_person_id) as r
     order by r.counts = '{}', r.erased_at limit 1;
end $$;

-- erasure_of: what apply_erasures would return: 'erased', 'alreadyGone' or 'unknownOrganization'.
create or replace function erasure_of(p_organization_id uuid, p_person_id uuid) returns text
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return case when not exists (select from organization where organization_id = p_organization_id)
                then 'unknownOrganization'
                when exists (select from person where organization_id = p_organization_id and person_id = p_person_id)
                then 'erased' else 'alreadyGone' end;
end $$;

-- apply_erasure: erases again someone who came back with a backup; returns what erase_person() or erasure_of()
-- returns. For the operator's command, which acts as the owner. The event says 'server'.
create or replace function apply_erasure(p_organization_id uuid, p_person_id uuid) returns text
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
declare
    said text := erasure_of(p_organization_id, p_person_id);
begin
    if said = 'erased' then
        perform set_config('school.organization', p_organization_id::text, true);
        select e.outcome into said from erase_person(p_person_id) as e;
    end if;
    return said;
end $$;

-- erase_person: leaves nothing of a person but an id in the audit trail, which identifies no one, and notices to
-- receivers of exports and to those who follow changes that the person is gone. Returns 'erased' with the receipt, also
-- for someone erased before; 'unknown', 'self', 'lastAdministrator', 'held' (a hold stands for the person, or for a
-- class that he or she is or was in), or 'importsUnderWay' (drop_waiting_archives).
--
-- Administrators are locked first, in a fixed order, so that two who erase each other cannot both succeed.
create or replace function erase_person(p_person_id uuid)
    returns table (outcome text, erased_at timestamptz, counts jsonb)
    language plpgsql volatile security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    place   record;
    removed bigint;
    sums    jsonb := '{}';
    roles   text[];
begin
    perform from person as p
      where p.organization_id = my_organization() and exists (
            select from person_role as r where r.organization_id = p.organization_id
               and r.person_id = p.person_id and r.role = 'administrator')
      order by p.person_id for update;
    perform from person where organization_id = my_organization() and person_id = p_person_id for update;
    if not found then
        return query select 'erased', r.erased_at, r.counts from erasure_receipt(p_person_id) as r;
        if not found then
            return query select 'unknown', null::timestamptz, null::jsonb;
        end if;
        return;
    elsif p_person_id = my_person() then
        return query select 'self', null::timestamptz, null::jsonb;
        return;
    elsif not exists (
        select from person_role as r
          join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
         where r.organization_id = my_organization() and r.role = 'administrator'
           and r.person_id <> p_person_id and p.deactivated_at is null) then
        return query select 'lastAdministrator', null::timestamptz, null::jsonb;
        return;
    elsif p_person_id in (select held_people(my_organization())) then
        return query select 'held', null::timestamptz, null::jsonb;
        return;
    elsif not drop_waiting_archives() then
        return query select 'importsUnderWay', null::timestamptz, null::jsonb;
        return;
    end if;

    roles := array(select distinct oneroster_role(r.role) from person_role as r
                    where r.organization_id = my_organization() and r.person_id = p_person_id order by 1);
    perform end_sessions_of(my_organization(), array[p_person_id], 'erased');
    for place in select * from personal_data() loop
        execute case when place.clearing is null
                     then format('delete from school.%I as t where %s', place.table_name,
                                 rows_of_person(place.person_column, place.whose))
                     else format('update school.%I as t set %s where t.organization_id = $1 and (%s)',
                                 place.table_name, place.clearing,
                                 case when place.person_column is null then place.whose
                                      else format('t.%I = $2', place.person_column) end) end
          using my_organization(), p_person_id;
        get diagnostics removed = row_count;
        sums := sums || jsonb_build_object(
            place.table_name, coalesce((sums ->> place.table_name)::bigint, 0) + removed);
    end loop;
    insert into deletion (organization_id, deletion_id, kind, subject_id, roles)
    values (my_organization(), new_id(), 'person', p_person_id, roles);
    sums := sums || jsonb_build_object('export', expire_exports_of(my_organization(), 'erasure'));
    perform audit('erasure', 'person', p_person_id::text, jsonb_build_object('counts', sums));
    return query select 'erased', r.erased_at, r.counts from erasure_receipt(p_person_id) as r;
end $$;
grant execute on function erase_person(uuid) to school_administrator;
