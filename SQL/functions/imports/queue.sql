-- Functions of imports: the queue; and who may execute the functions in all files of imports.

grant execute on function
    begin_import_staging(), analyse_import_staging(text[]), import_mistakes(text[]), import_overfull_classes(),
    import_column(text, bigint),
    import_is_whole(text), import_today(), import_kind_of_seat(text), keep_import_people(), mark_import_seats(),
    keep_import_emails(),
    plan_import(), plan_import_places(), plan_import_people(), plan_import_classes(), plan_import_seats(),
    plan_import_roles(), plan_import_terms(), plan_import_terms_of_classes(),
    import_shrinkage(), apply_import(uuid, timestamptz), apply_import_people(timestamptz),
    keep_import_changes(uuid), import_plan_digest(uuid), import_changes_max(), import_change_rank(text),
    keep_import_people_changes(uuid, text, integer, text[]), keep_import_class_changes(uuid, text, integer),
    keep_import_seat_changes(uuid, text, integer), keep_import_place_changes(uuid, text, integer, text[]),
    oneroster_mistakes(text[]), oneroster_repetitions(), oneroster_lost_references(text[]),
    oneroster_lost_sessions(text[]), oneroster_wrong_periods(), oneroster_role_conflicts(),
    oneroster_nameless(), oneroster_class_ends(), oneroster_place(text, text[]), is_given(text), import_list(text),
    is_in_force(text, text, text, text), roles_of_oneroster(text), map_oneroster(), leave_out_own_rows(),
    map_oneroster_roles(),
    map_oneroster_users(), map_oneroster_enrollments()
    to school_directory_manager;

-- prepare_import_turns: gives every organization with an unfinished import its row in import_turn.
create or replace function prepare_import_turns() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into import_turn (organization_id)
    select distinct i.organization_id from import as i
     where i.status in ('queued', 'running') and not is_at_rest(i.organization_id)
       and not exists (select from import_turn as t where t.organization_id = i.organization_id)
        on conflict do nothing;
end $$;

-- is_import_for (internal): whether an import is unfinished, and for a worker that knows these standings and formats;
-- null: it knows all.
create or replace function is_import_for(p_import import, p_standings text[], p_formats text[]) returns boolean
    language sql immutable parallel safe
    return p_import.status in ('queued', 'running')
       and (p_standings is null or p_import.standing = any (p_standings))
       and (p_formats is null or p_import.format is null or p_import.format = any (p_formats));

-- claim_import: the next import of an organization without a running import, including one left by a dead worker. The
-- lock lasts as long as the caller's transaction, and is released with its connection. p_organization_id: of that
-- organization only. What a newer version ordered under a standing or in a format that the caller does not know waits
-- for a worker of that version, and keeps no other import waiting.
create or replace function claim_import(p_organization_id uuid, p_standings text[] default null,
                                        p_formats text[] default null)
    returns table (organization_id uuid, import_id uuid, mode text, standing text, person_id uuid,
                   service_account_id uuid, is_approved boolean, plan_digest bytea)
    language plpgsql security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    turn uuid;
begin
    select t.organization_id into turn from import_turn as t
     where exists (select from import as i
                    where i.organization_id = t.organization_id and is_import_for(i, p_standings, p_formats))
       and (p_organization_id is null or t.organization_id = p_organization_id)
       and not is_at_rest(t.organization_id)
     limit 1 for update of t skip locked;
    return query
    select i.organization_id, i.import_id, i.mode, i.standing, i.person_id, i.service_account_id, i.is_approved,
           i.plan_digest
      from import as i
     where i.organization_id = turn and is_import_for(i, p_standings, p_formats)
     order by i.created_at, i.import_id limit 1;
end $$;

-- analyse_directory: updates the planner's statistics after an import.
create or replace function analyse_directory() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    analyze location, person, person_role, course, class, seat, managed_id_directory;
end $$;

-- has_unfinished_imports: whether a worker that knows these standings and formats must look again later.
create or replace function has_unfinished_imports(p_standings text[] default null, p_formats text[] default null)
    returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (select from import as i
                    where is_import_for(i, p_standings, p_formats) and not is_at_rest(i.organization_id));
end $$;

-- limit_import_queue: limits how many imports of an organization wait for their turn, as the constraint
-- import_queue_has_room. Imports being added by concurrent transactions are not counted.
create or replace function limit_import_queue() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
declare
    most constant integer := 20;
begin
    if (select count(*) from import as i
         where i.organization_id = new.organization_id and i.status in ('queued', 'running')) >= most then
        raise exception 'too many imports wait'
            using errcode = '23514', schema = 'school', table = 'import', constraint = 'import_queue_has_room';
    end if;
    return new;
end $$;
create or replace trigger limit_queue before insert on import
    for each row when (new.status = 'queued') execute function limit_import_queue();

-- import_orderer_stands: whether the orderer of the running import is still allowed to order it: a person by role, a
-- service account as long as it can get tokens. What the command ordered is always allowed. Definer, because a
-- service account cannot see service accounts.
create or replace function import_orderer_stands() returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return case
        when my_person() is not null then exists (
            select from person as p
              join person_role as r on r.organization_id = p.organization_id and r.person_id = p.person_id
             where p.organization_id = my_organization() and p.person_id = my_person()
               and p.deactivated_at is null and r.role = my_standing())
        when my_service_account() is not null then exists (
            select from service_account as a
             where a.organization_id = my_organization() and a.service_account_id = my_service_account()
               and a.revoked_at is null and (a.expires_at is null or a.expires_at > moment()))
        else true end;
end $$;
grant execute on function import_orderer_stands() to school_directory_manager;

-- only_organization: the organization of a deployment that has only one, for the command; null if there are none or
-- several.
create or replace function only_organization() returns uuid
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    found_ids uuid[];
begin
    found_ids := array(select organization_id from organization where not is_development(organization_id) limit 2);
    return case cardinality(found_ids) when 1 then found_ids[1] end;
end $$;
grant execute on function prepare_import_turns(), claim_import(uuid, text[], text[]), analyse_directory(),
    has_unfinished_imports(text[], text[]), only_organization()
    to school_server;

create or replace trigger bump_version before update on import
    for each row execute function bump_version();
