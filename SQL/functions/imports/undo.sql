-- Functions of imports: undoing one that was applied, for the operator and for administrators.
--
-- Undoing puts back what was kept (undo_kept.sql), if each row is still as the import left it and nothing refers to
-- what it made. Otherwise it changes nothing and reports the obstacles.
--
-- What may stand in the way is looked for before anything is written (undo_checks.sql). Then it writes a batch of rows
-- at a time, so that triggers never hold a whole district in memory, in one transaction: if it is killed, nothing has
-- changed. Whoever wants to write one of those rows meanwhile waits for it, as during an import; readers do not.

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
    perform unfold_import_undo(p_import_id);
    done := (select jsonb_agg(jsonb_build_object('kind', c.kind, 'what', c.change, 'found', c.n)
                              order by c.kind, c.change)
               from (select u.kind, u.change, count(*) as n from undone_row as u group by u.kind, u.change) as c);
    obstacles := obstacles_of_import(wanted.finished_at);
    if obstacles = '[]' and not p_is_dry then
        obstacles := take_import_back(p_import_id, wanted.finished_at, done);
    end if;
    return query
    select case when obstacles = '[]' then 'undone' else 'blocked' end, r.kind, r.what, r.found, r.example
      from jsonb_to_recordset(case when obstacles = '[]' then done else obstacles end)
           as r (kind text, what text, found bigint, example text);
end $$;

-- take_import_back (internal): does it. Returns what has come in the way since that was looked for; then nothing is
-- changed.
create or replace function take_import_back(p_import_id uuid, p_since timestamptz, p_done jsonb) returns jsonb
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    own       constant uuid := my_organization();
    target    text;
    obstacles jsonb := '[]';
begin
    perform restore_imported();
    obstacles := work_since_import(p_since);
    if obstacles <> '[]' then
        raise exception 'someone worked meanwhile' using errcode = 'HR001';
    end if;
    foreach target in array array['class', 'course', 'person', 'term', 'location'] loop
        obstacles := lock_imported(target);
        if obstacles <> '[]' then
            raise exception 'something was built on the import meanwhile' using errcode = 'HR001';
        end if;
        perform write_undone(target, 'created', format('delete from %I as t using undone_row as u where', target));
    end loop;
    delete from managed_id_directory as m using undone_row as u
     where u.kind = 'person' and u.change = 'created' and m.organization_id = own and m.person_id = u.id;
    update import set undone_at = moment(), undone_by = my_person()
     where organization_id = own and import_id = p_import_id;
    delete from import_undo as u where u.organization_id = own and u.import_id = p_import_id;
    perform audit('import', 'import', p_import_id::text, jsonb_build_object('change', 'undone', 'rows', p_done));
    return obstacles;
exception when sqlstate 'HR001' then
    -- Everything that this function wrote is rolled back.
    if obstacles = '[]' then
        obstacles := obstacles_of_import(p_since);
    end if;
    if obstacles = '[]' then
        raise;
    end if;
    return obstacles;
end $$;

-- restore_imported (internal): ends what the import began in rosters and roles, and puts back what it changed.
create or replace function restore_imported() returns void
    language plpgsql
    set search_path = school, pg_temp set jit = off as $$
declare
    target text;
begin
    perform write_undone('seat', 'created', 'delete from seat as t using undone_row as u where');
    perform write_undone('seat', 'changed',
        'update seat as t set left_at = (u.before ->> ''left_at'')::timestamptz, source_id = u.before ->> ''source_id''
           from undone_row as u where');
    insert into person_role (organization_id, person_id, location_id, role, origin)
    select my_organization(), u.id, u.location_id, u.role, u.before ->> 'origin' from undone_row as u
     where u.kind = 'role' and u.change = 'removed';
    perform write_undone('role', 'created', 'delete from person_role as t using undone_row as u where');
    foreach target in array array['location', 'term', 'person', 'course', 'class'] loop
        perform write_undone(target, 'changed', format(
            'with u as materialized (
                select b.*, jsonb_populate_record(null::%1$I, b.before) as becomes from undone_row as b
                 where b.kind = %1$L and b.change = ''changed'' and b.batch = $2)
             update %1$I as t set %2$s from u where',
            target, import_columns(target, '%1$I = (u.becomes).%1$I', 'known')));
    end loop;
end $$;

-- write_undone (internal): runs a statement for each batch of one kind and change. Each of its rows must still be as
-- the import left it; else it was changed after that was looked for.
create or replace function write_undone(p_kind text, p_change text, p_statement text) returns void
    language plpgsql
    set search_path = school, pg_temp set jit = off as $$
declare
    piece   record;
    written bigint;
begin
    for piece in select batch, count(*) as rows from undone_row
                  where kind = p_kind and change = p_change group by batch order by batch loop
        execute format('%s u.kind = %L and u.change = %L and u.batch = $2 and t.organization_id = $1 and %s
                           and import_image_hash(%s) = u.hash',
                       p_statement, p_kind, p_change, import_row_is(p_kind, 'u', 'u'), import_image(p_kind))
          using my_organization(), piece.batch;
        get diagnostics written = row_count;
        if written <> piece.rows then
            raise exception 'a % was changed meanwhile', p_kind using errcode = 'HR001';
        end if;
    end loop;
end $$;

-- lock_imported (internal): locks the rows of a table that the import made, so that nobody refers to them any more,
-- and returns who already does.
create or replace function lock_imported(p_table text) returns jsonb
    language plpgsql
    set search_path = school, pg_temp set jit = off as $$
begin
    execute format(
        'select from %1$I as t join undone_row as u on u.kind = %1$L and u.change = ''created'' and t.%2$I = u.id
          where t.organization_id = $1 for update of t', p_table, p_table || '_id') using my_organization();
    return references_since_import(p_table);
end $$;

grant execute on function undo_import(uuid, uuid, boolean) to school_server;

-- undo_own_import: the same for an administrator, in his or her organization. Nobody else: it puts back what the import
-- changed of anybody, whatever roles they have by now. It does not wait for an import that runs.
create or replace function undo_own_import(p_import_id uuid, p_is_dry boolean)
    returns table (outcome text, kind text, what text, found bigint, example text)
    language plpgsql security definer
    set search_path = school, pg_temp set timezone = 'UTC' as $$
#variable_conflict use_column
declare
    own constant uuid := my_organization();
begin
    if exists (select from import as i where i.organization_id = own and i.status in ('queued', 'running'))
       and exists (select from import as i where i.organization_id = own and i.import_id = p_import_id) then
        outcome := 'underWay';
        return next;
        return;
    end if;
    return query select u.* from undo_import(own, p_import_id, p_is_dry) as u;
end $$;
grant execute on function undo_own_import(uuid, boolean) to school_administrator;
