-- Functions of imports: undoing one that was applied, for the operator.
--
-- Undoing puts back what was kept (undo_kept.sql), if each row is still as the import left it and nothing refers to
-- what it made. Otherwise it changes nothing and reports the obstacles.

-- undo_import: puts back what an import replaced and removes what it made, all or nothing. With p_is_dry, it only finds
-- out whether that is possible.
--
--   unknown        the organization has no import with this id
--   notApplied     it changed nothing: a preview, a failure, a waiting import, or an archive without changes
--   alreadyUndone  nothing is left to do
--   underWay       another import of the organization waits or runs
--   notKept        what it replaced is not kept: too many rows, too long ago, or a person in it was erased
--   blocked        a row for each kind of obstacle: what, why, how many, and the id of one
--   undone         a row for each kind of rows and change; also with p_is_dry
--
-- why: changed (a row has been changed since the import), work (people have used a seat that the import added), or
-- the table whose rows refer to what it made.
create or replace function undo_import(p_organization_id uuid, p_import_id uuid, p_is_dry boolean)
    returns table (outcome text, kind text, what text, found bigint, example text)
    language plpgsql security definer
    set search_path = school, pg_temp set jit = off set timezone = 'UTC' as $$
#variable_conflict use_column
declare
    wanted    import;
    done      jsonb;
    obstacles jsonb;
begin
    perform set_config('school.organization', p_organization_id::text, true);
    -- No worker begins an import meanwhile.
    insert into import_turn (organization_id)
    select o.organization_id from organization as o
     where o.organization_id = p_organization_id and not is_development(o.organization_id)
        on conflict do nothing;
    perform from import_turn as t where t.organization_id = p_organization_id for update;
    select * into wanted from import as i
     where i.organization_id = p_organization_id and i.import_id = p_import_id for update;
    outcome := case
        when wanted.import_id is null then 'unknown'
        when wanted.status <> 'succeeded' or not exists (
             select from import_file as f
              where f.organization_id = p_organization_id and f.import_id = p_import_id
                and f.created + f.changed + f.removed > 0) then 'notApplied'
        when wanted.undone_at is not null then 'alreadyUndone'
        when exists (select from import as i where i.organization_id = p_organization_id
                        and i.status in ('queued', 'running')) then 'underWay'
        when not exists (select from import_undo as u where u.organization_id = p_organization_id
                            and u.import_id = p_import_id) then 'notKept' end;
    if outcome is not null then
        return next;
        return;
    end if;
    done := (select jsonb_agg(jsonb_build_object('kind', c.kind, 'what', c.change, 'found', c.n)
                              order by c.kind, c.change)
               from (select u.kind, u.change, count(*) as n from import_undo as u
                      where u.organization_id = p_organization_id and u.import_id = p_import_id
                      group by u.kind, u.change) as c);
    obstacles := changed_since_import(p_import_id) || work_since_import(p_import_id, wanted.finished_at);
    begin
        if obstacles = '[]' then
            perform restore_imported(p_import_id);
            obstacles := remove_imported(p_import_id);
        end if;
        if obstacles <> '[]' or p_is_dry then
            raise exception 'it is taken back' using errcode = 'HR001';
        end if;
        update import set undone_at = moment()
         where organization_id = p_organization_id and import_id = p_import_id;
        delete from import_undo as u where u.organization_id = p_organization_id and u.import_id = p_import_id;
        perform write_audit_event(p_organization_id, 'import', 'server', null, null, null, 'import', p_import_id::text,
                                  jsonb_build_object('change', 'undone', 'rows', done));
    exception when sqlstate 'HR001' then
        -- Everything since the beginning of the block is rolled back.
    end;
    return query
    select case when obstacles = '[]' then 'undone' else 'blocked' end, r.kind, r.what, r.found, r.example
      from jsonb_to_recordset(case when obstacles = '[]' then done else obstacles end)
           as r (kind text, what text, found bigint, example text);
end $$;

-- changed_since_import (internal): rows that are no longer as the import left them, and seats that were taken again.
create or replace function changed_since_import(p_import_id uuid) returns jsonb
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return (
        select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'what', 'changed', 'found', c.n, 'example', c.id)
                                  order by c.kind), '[]')
          from (select u.kind, count(*) as n, min(coalesce(u.row_id, u.class_id, u.person_id)::text) as id
                  from import_undo as u
                 where u.organization_id = my_organization() and u.import_id = p_import_id
                   and (current_import_image(u) is distinct from u.after
                        or u.kind = 'seat' and u.before is not null and u.before ->> 'left_at' is null
                           and exists (select from seat as s
                                        where s.organization_id = u.organization_id and s.class_id = u.class_id
                                          and s.person_id = u.person_id and s.role = u.role and s.left_at is null
                                          and s.joined_at <> u.joined_at
                                          and not exists (select from import_undo as m
                                                           where m.organization_id = u.organization_id
                                                             and m.import_id = u.import_id and m.kind = 'seat'
                                                             and m.change = 'created' and m.class_id = s.class_id
                                                             and m.person_id = s.person_id and m.role = s.role
                                                             and m.joined_at = s.joined_at)))
                 group by u.kind) as c);
end $$;

-- work_since_import (internal): seats that the import made and in which someone has worked since: a student at a
-- handout of the class, a teacher by giving one or posting an announcement.
create or replace function work_since_import(p_import_id uuid, p_since timestamptz) returns jsonb
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    found_rows bigint;
    example    text;
begin
    select count(*), min(u.class_id::text) into found_rows, example
      from import_undo as u
     where u.organization_id = my_organization() and u.import_id = p_import_id
       and u.kind = 'seat' and u.change = 'created'
       and (exists (select from handout as h
                      join task as t on t.organization_id = h.organization_id and t.handout_id = h.handout_id
                      join assignment as a on a.organization_id = t.organization_id and a.task_id = t.task_id
                     where h.organization_id = u.organization_id and h.class_id = u.class_id
                       and a.person_id = u.person_id and a.updated_at >= p_since)
            or exists (select from handout as h
                        where h.organization_id = u.organization_id and h.class_id = u.class_id
                          and h.author_id = u.person_id and h.created_at >= p_since)
            or exists (select from announcement as n
                        where n.organization_id = u.organization_id and n.class_id = u.class_id
                          and n.author_id = u.person_id and n.created_at >= p_since));
    return case when found_rows = 0 then '[]'
                else jsonb_build_array(jsonb_build_object('kind', 'seat', 'what', 'work', 'found', found_rows,
                                                          'example', example)) end;
end $$;

-- restore_imported (internal): ends what the import began in rosters and roles, and puts back what it changed.
create or replace function restore_imported(p_import_id uuid) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    own    constant uuid := my_organization();
    target text;
begin
    delete from seat as s using import_undo as u
     where u.organization_id = own and u.import_id = p_import_id and u.kind = 'seat' and u.change = 'created'
       and s.organization_id = own and s.class_id = u.class_id and s.person_id = u.person_id and s.role = u.role
       and s.joined_at = u.joined_at;
    update seat as s set left_at = (u.before ->> 'left_at')::timestamptz, source_id = u.before ->> 'source_id'
      from import_undo as u
     where u.organization_id = own and u.import_id = p_import_id and u.kind = 'seat' and u.change = 'changed'
       and s.organization_id = own and s.class_id = u.class_id and s.person_id = u.person_id and s.role = u.role
       and s.joined_at = u.joined_at;
    insert into person_role (organization_id, person_id, location_id, role, origin)
    select own, u.person_id, u.location_id, u.role, u.before ->> 'origin' from import_undo as u
     where u.organization_id = own and u.import_id = p_import_id and u.kind = 'role' and u.change = 'removed';
    delete from person_role as r using import_undo as u
     where u.organization_id = own and u.import_id = p_import_id and u.kind = 'role' and u.change = 'created'
       and r.organization_id = own and r.person_id = u.person_id and r.location_id = u.location_id
       and r.role = u.role;
    foreach target in array array['location', 'term', 'person', 'course', 'class'] loop
        execute format(
            'update %1$I as t set %2$s
               from (select u.row_id, jsonb_populate_record(null::%1$I, u.before) as becomes
                       from import_undo as u
                      where u.organization_id = $1 and u.import_id = $2 and u.kind = %1$L
                        and u.change = ''changed'') as p
              where t.organization_id = $1 and t.%3$I = p.row_id',
            target, import_columns(target, '%1$I = (p.becomes).%1$I', 'known'), target || '_id')
          using own, p_import_id;
    end loop;
end $$;

-- remove_imported (internal): removes the rows that the import made, each before those that it refers to. Returns the
-- rows that refer to them, and stops removing at the first.
create or replace function remove_imported(p_import_id uuid) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    own        constant uuid := my_organization();
    target     text;
    hanging    record;
    found_rows bigint;
    example    text;
    obstacles  jsonb := '[]';
begin
    -- Terms may refer to each other.
    update term as t set parent_id = null from import_undo as u
     where u.organization_id = own and u.import_id = p_import_id and u.kind = 'term' and u.change = 'created'
       and t.organization_id = own and t.term_id = u.row_id and t.parent_id is not null;
    foreach target in array array['class', 'course', 'person', 'term', 'location'] loop
        for hanging in
            select c.relname::text as kind, a.attname::text as name
              from pg_constraint as f
              join pg_class as c on c.oid = f.conrelid
              join pg_attribute as a on a.attrelid = f.conrelid and a.attnum = any (f.conkey)
             where f.contype = 'f' and f.confrelid = format('school.%I', target)::regclass
               and a.attname <> 'organization_id' and not c.relispartition
               -- What a record said before goes with the person.
               and c.relname <> 'person_correction'
             order by c.relname, a.attname loop
            execute format(
                'select count(*), min(t.%2$I::text) from %1$I as t
                  where t.organization_id = $1
                    and t.%2$I in (select u.row_id from import_undo as u
                                    where u.organization_id = $1 and u.import_id = $2 and u.kind = $3
                                      and u.change = ''created'')', hanging.kind, hanging.name)
               into found_rows, example using own, p_import_id, target;
            if found_rows > 0 then
                obstacles := obstacles || jsonb_build_object('kind', target, 'what', hanging.kind,
                                                             'found', found_rows, 'example', example);
            end if;
        end loop;
        if obstacles = '[]' then
            execute format(
                'delete from %1$I as t using import_undo as u
                  where u.organization_id = $1 and u.import_id = $2 and u.kind = %1$L and u.change = ''created''
                    and t.organization_id = $1 and t.%2$I = u.row_id', target, target || '_id')
              using own, p_import_id;
        end if;
    end loop;
    if obstacles = '[]' then
        delete from managed_id_directory as m using import_undo as u
         where u.organization_id = own and u.import_id = p_import_id and u.kind = 'person' and u.change = 'created'
           and m.organization_id = own and m.person_id = u.row_id;
    end if;
    return obstacles;
end $$;
grant execute on function undo_import(uuid, uuid, boolean) to school_server;
