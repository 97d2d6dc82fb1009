-- Functions of SCIM: its resources as tables, with the rights of the caller.
--
-- PostgreSQL inlines them: conditions of the caller reach the tables, and columns that are not read cost nothing.
-- external_id is the caller's own word for the resource, and part of its version.

-- external_id_version (internal): what a version says of an external id; the same for the same word.
create or replace function external_id_version(p_value text) returns text
    language sql immutable parallel safe
    return coalesce('.' || left(encode(sha256(convert_to(p_value, 'UTF8')), 'hex'), 12), '');

-- my_default_location: where the caller's service account puts people and classes of which it does not say where; null:
-- nowhere.
create or replace function my_default_location() returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return (select a.default_location_id from service_account as a
             where a.organization_id = my_organization() and a.service_account_id = my_service_account());
end $$;

-- scim_users: people, without those whom the identity provider removed. The location is the first by name of those
-- where the person holds a role.
create or replace function scim_users()
    returns table (id uuid, organization_id uuid, user_name text, user_name_key text, external_id text,
                   given_name text, middle_name text, family_name text, display_name text, email text,
                   is_active boolean, person_number text, grade text, roles text[], location text,
                   created_at timestamptz, updated_at timestamptz, version text)
    language sql stable
begin atomic
    select p.person_id, p.organization_id, p.managed_id, p.managed_id_key, e.value, p.given_name, p.middle_name,
           p.family_name, full_name(p.given_name, p.family_name, coalesce(p.name_order, (select my_name_order()))),
           p.email, p.deactivated_at is null, p.person_number, p.grade,
           array(select distinct r.role from person_role as r
                  where r.organization_id = p.organization_id and r.person_id = p.person_id order by r.role),
           (select l.name from person_role as r
              join location as l on l.organization_id = r.organization_id and l.location_id = r.location_id
             where r.organization_id = p.organization_id and r.person_id = p.person_id
             order by l.name collate "C", l.location_id limit 1),
           p.created_at::timestamptz, greatest(p.updated_at, e.updated_at)::timestamptz,
           p.version || external_id_version(e.value)
      from person as p
      left join external_id as e on e.organization_id = p.organization_id and e.person_id = p.person_id
            and e.service_account_id is not distinct from my_service_account()
     where p.organization_id = my_organization()
       and (p.deactivated_at is null or p.withdrawn_at is distinct from p.deactivated_at);
end;

-- scim_seats: who is in a class now, once each. Someone who both teaches a class and learns in it counts as a teacher.
create or replace function scim_seats()
    returns table (group_id uuid, person_id uuid, is_teacher boolean, display_name text)
    language sql stable
begin atomic
    select s.class_id, s.person_id, bool_or(s.role = 'teacher'),
           full_name(p.given_name, p.family_name, coalesce(p.name_order, (select my_name_order())))
      from seat as s
      join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
     where s.organization_id = my_organization() and is_seated(s)
       and (p.deactivated_at is null or p.withdrawn_at is distinct from p.deactivated_at)
     group by s.class_id, s.person_id, p.given_name, p.family_name, p.name_order;
end;

-- scim_holders: who holds a role at a location, once each.
create or replace function scim_holders()
    returns table (group_id uuid, person_id uuid, is_teacher boolean, display_name text)
    language sql stable
begin atomic
    select r.location_id, r.person_id, false,
           full_name(p.given_name, p.family_name, coalesce(p.name_order, (select my_name_order())))
      from person_role as r
      join person as p on p.organization_id = r.organization_id and p.person_id = r.person_id
     where r.organization_id = my_organization()
       and (p.deactivated_at is null or p.withdrawn_at is distinct from p.deactivated_at)
     group by r.location_id, r.person_id, p.given_name, p.family_name, p.name_order;
end;

-- scim_members: the members of all groups.
create or replace function scim_members()
    returns table (group_id uuid, person_id uuid, is_teacher boolean, display_name text)
    language sql stable
begin atomic
    select s.group_id, s.person_id, s.is_teacher, s.display_name from scim_seats() as s
    union all
    select h.group_id, h.person_id, h.is_teacher, h.display_name from scim_holders() as h;
end;

-- scim_groups: classes that are not archived, and locations. A location has no version that knows its members: their
-- number, and when the last of them came, say it.
create or replace function scim_groups()
    returns table (id uuid, organization_id uuid, kind text, external_id text, name text, location text,
                   created_at timestamptz, updated_at timestamptz, version text)
    language sql stable
begin atomic
    select c.class_id, c.organization_id, 'class', e.value, c.name, l.name, c.created_at::timestamptz,
           greatest(c.updated_at, e.updated_at)::timestamptz,
           c.version || '.' || (select count(*) from scim_seats() as m where m.group_id = c.class_id)
                     || external_id_version(e.value)
      from class as c
      join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
      left join external_id as e on e.organization_id = c.organization_id and e.class_id = c.class_id
            and e.service_account_id is not distinct from my_service_account()
     where c.organization_id = my_organization() and c.archived_at is null
    union all
    select l.location_id, l.organization_id, 'location', e.value, l.name, l.name, l.created_at::timestamptz,
           greatest(l.updated_at, e.updated_at)::timestamptz,
           l.version || '.' || (select count(*) from scim_holders() as m where m.group_id = l.location_id)
                     || '.' || (select coalesce(max(extract(epoch from r.created_at) * 1000), 0)::bigint
                                  from person_role as r
                                 where r.organization_id = l.organization_id and r.location_id = l.location_id)
                     || external_id_version(e.value)
      from location as l
      left join external_id as e on e.organization_id = l.organization_id and e.location_id = l.location_id
            and e.service_account_id is not distinct from my_service_account()
     where l.organization_id = my_organization();
end;

create or replace trigger touch before update on external_id for each row execute function touch();

grant execute on function scim_users(), scim_seats(), scim_holders(), scim_members(), scim_groups(),
    external_id_version(text), full_name(text, text, text), is_east_asian(text), may_give_role(text),
    reserve_managed_ids(uuid, uuid[], text[]),
    release_managed_ids(uuid, uuid[]), put_people_roles(jsonb), class_size_limit(organization, text), put_seats(jsonb),
    end_seat(uuid, text, uuid), audit_roster(uuid, text, uuid[], uuid[]), joined_on(seat, text), left_on(seat, text),
    day_zone(uuid), hanging_on_class(uuid), delete_class(uuid), my_default_location() to school_directory_writer;
