-- One person's data: where it is stored, exporting it, and erasing it.
--
-- personal_data() is the one map of it. Export and erasure both follow it, so that neither can know of a table that
-- the other forgets. A test compares it with the foreign keys in the system catalog, so that neither can forget a new
-- table that refers to people.

-- personal_data (internal): every table that holds something about a person, in the order of erasure: referring rows
-- first.
--
--   person_column  the column with the person's id; null: found in another way, by whose
--   whose          a condition on the row t, $1 the organization, $2 the person; null: person_column = $2
--   clearing       what happens to the row when the person is erased. Null: it is deleted. Otherwise the columns that
--                  are set, because others need the row, where person_column is the person, whatever whose says
--   is_exported    whether its rows are exported; false if another entry for the table exports them, or if they
--                  are also someone else's
--   hidden         columns that are never exported: proofs of identity, and other people's
--   shown          the row as it is exported, if that is not the whole row without the hidden columns
create or replace function personal_data()
    returns table (table_name text, person_column text, whose text, clearing text, is_exported boolean,
                   hidden text[], shown text)
    language sql immutable
begin atomic
    values
        -- Signing in
        ('refresh_token', null, $w$ t.session_id in (select s.session_id from school.session as s
            where s.organization_id = $1 and s.person_id = $2) $w$, null, true,
            '{digest, next_digest, next_access_digest}'::text[], null),
        ('access_token', 'person_id', null, null, true, '{digest}', null),
        ('session',      'person_id', null, null, true, null, null),
        ('authorization_code', 'person_id', null, null, true, '{digest, challenge}', null),
        ('device_code',  'person_id', null, null, true, '{digest, user_code}', null),
        ('sign_in_device', 'person_id', null, null, true, '{digest}', null),
        ('sign_in_link',   'person_id', null, null, true, null, null),
        ('credential',   'person_id', null, null, true, '{password_record}', null),
        ('password_reset', 'person_id', null, null, true, '{by_person_id}', null),
        ('password_reset', 'by_person_id', null, 'by_person_id = null', false, null, null),
        -- Answers that are kept for a day: the person's own, and those to others about the person
        ('idempotency_key', null, 't.caller like $2::text || ''/%''', null, true,
            '{request_digest, headers, body}', null),
        ('idempotency_key', null, $w$ position(convert_to($2::text, 'UTF8') in t.body) > 0
            or array_to_string(t.headers, ' ') like '%' || $2::text || '%' $w$,
            'body = null, headers = ''{}''', false, null, null),
        -- What a student did; first what apps reported of it that is not stored yet
        ('upload',              'person_id', null, null, true, null, null),
        ('assignment_figures',  'person_id', null, null, true, null, null),
        ('activity_item',       'person_id', null, null, true, null, null),
        ('activity_part',       'person_id', null, null, true, '{digest}', null),
        ('activity_assignment', 'person_id', null, null, true, '{part_digest}', null),
        ('activity',            'person_id', null, null, true, null, null),
        ('assignment',          'person_id', null, null, true, null, null),
        ('handout_recipient',   'person_id', null, null, true, null, null),
        ('grade',               'person_id', null, null, true, null, null),
        ('former_recipient',    'person_id', null, null, true, null, null),
        -- What a teacher wrote: drafts belong to the author alone, the class keeps the rest
        ('handout_recipient', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('former_recipient', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('handout_lock', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('watched_report', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('task', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('handout', null, 't.author_id = $2 and t.publish_at is null', null, false, null, null),
        ('handout', 'author_id', null, 'author_id = null', true, null, null),
        ('announcement', 'author_id', null, 'author_id = null', true, null, null),
        ('news_seen', 'person_id', null, null, true, null, null),
        ('task', 'context_owner_id', null, 'context_owner_id = null, withdrawn_at = school.moment()', true, null, null),
        ('native_thumbnail', null, $w$ t.context_id in (select c.context_id from school.context as c
            where c.organization_id = $1 and c.person_id = $2) $w$, null, true, null, null),
        ('context', 'person_id', null, null, true, '{change}', null),
        ('removed_context', 'person_id', null, null, true, '{change}', null),
        -- That something of the person changed. That the person is gone is noted afterwards, for those who follow.
        ('change', null, $w$ t.kind = 'person' and t.subject_id = $2 $w$, null, false, null, null),
        ('webhook_attempt', null, $w$ t.delivery_id in (select d.delivery_id from school.webhook_delivery as d
            where d.organization_id = $1 and d.next_attempt_at is null and strpos(d.body, $2::text) > 0) $w$, null,
            false, null, null),
        ('webhook_delivery', null, $w$ t.next_attempt_at is null and strpos(t.body, $2::text) > 0 $w$, null, false,
            null, null),
        -- The directory
        ('seat',                 'person_id', null, null, true, '{seated_by}', null),
        ('seat',                 'seated_by', null, 'seated_by = null', false, null, null),
        ('class',                'made_by',   null, 'made_by = null', true, null, null),
        ('roster_search',        'person_id', null, null, true, null, null),
        ('person_role',          'person_id', null, null, true, null, null),
        ('retention_hold',       'person_id', null, null, true, null, null),
        ('person_correction',    'person_id', null, null, true, '{corrected_by}', null),
        ('person_correction',    'corrected_by', null, 'corrected_by = null', false, null, null),
        ('licence',              'person_id', null, null, true, null, null),
        -- What imports reported about the line that brought the person, found by the ids in that line
        ('import_change', null, $w$ exists (select from school.person as p
            where p.organization_id = $1 and p.person_id = $2
              and p.source_id in (t.source_id, t.person_source_id)) $w$, null, true, null, null),
        -- Without the rows of one person an import cannot be undone, so that all of its rows go.
        ('import_undo', null, $w$ t.import_id in (select u.import_id from school.import_undo as u
            where u.organization_id = $1 and u.person_id = $2) and t.person_id is distinct from $2 $w$, null, false,
            null, null),
        ('import_undo',          'person_id', null, null, true, null, null),
        ('import_problem', null, $w$ exists (select from school.person as p
            cross join unnest(array[p.source_id, p.managed_id, p.email, p.person_number]) as n (name)
            where p.organization_id = $1 and p.person_id = $2 and strpos(t.detail, '"' || n.name || '"') > 0) $w$,
            null, true, null, null),
        ('import',               'person_id', null, 'person_id = null', true, null, null),
        ('deletion',             'person_id', null, null, true, null, null),
        ('person',               'person_id', null, null, true, null, null),
        ('managed_id_directory', 'person_id', null, null, true, null, null),
        -- What the removal of these rows has left
        ('roster_tombstone',     'person_id', null, null, true, null, null),
        -- Who looked at the work of whom. A student's rows go with the student; those of a reader stay for the
        -- students, and forget who it was. A reader's rows do not say at whose work he or she looked.
        ('viewing', 'student_id', null, null, false, null, null),
        ('viewing', 'reader_id', $w$ $2 in (t.reader_id, t.student_id) or t.student_id is null and exists (
            select from school.seat as s
             where s.organization_id = $1 and s.class_id = t.class_id and s.person_id = $2 and s.role = 'student'
               and s.joined_at <= t.last_at) $w$,
            'reader_id = null', true, null,
            $s$ jsonb_strip_nulls(jsonb_build_object(
                'viewed_on', t.viewed_on, 'class_id', t.class_id,
                'work_of', case when t.student_id is null then 'class' else 'student' end,
                'student_id', case when t.student_id = $2 then t.student_id end,
                'reader_id', t.reader_id,
                'reader', case when t.reader_id <> $2 then (
                    select school.full_name(p.given_name, p.family_name, school.name_order_of(p)) from school.person as p
                     where p.organization_id = $1 and p.person_id = t.reader_id) end,
                'times', t.times, 'first_at', t.first_at, 'last_at', t.last_at)) $s$),
        -- The audit trail keeps the id, which no longer identifies anyone, and forgets the address from which the
        -- person acted. What others did, and where and to whom else they did it, is not exported.
        ('audit_event', 'person_id', $w$ t.person_id = $2 or t.subject_kind = 'person' and t.subject_id = $2::text
            or t.kind = 'rosterChange' and ((t.details -> 'joined') ? $2::text or (t.details -> 'left') ? $2::text) $w$,
            'address = null, address_salt = null', true, null,
            $s$ jsonb_strip_nulls(jsonb_build_object(
                'event_id', t.event_id, 'arrived_at', t.arrived_at, 'kind', t.kind,
                'standing', case when t.person_id = $2 then t.standing end,
                'person_id', case when t.person_id = $2 then t.person_id end,
                'app', case when t.person_id = $2 then t.app end,
                'address', case when t.person_id = $2 then t.address end,
                'subject_kind', t.subject_kind,
                'subject_id', case when t.subject_kind <> 'person' or t.subject_id = $2::text then t.subject_id end,
                'details', case
                    when t.kind = 'rosterChange' then jsonb_build_object(
                        'role', t.details -> 'role',
                        'joined', (t.details -> 'joined') ? $2::text, 'left', (t.details -> 'left') ? $2::text)
                    when t.subject_kind is distinct from 'person' or t.subject_id = $2::text then t.details end)) $s$);
end;

-- rows_of_person (internal): the condition of an entry of the map.
create or replace function rows_of_person(p_person_column text, p_whose text) returns text
    language sql immutable
    return format('t.organization_id = $1 and (%s)', coalesce(p_whose, format('t.%I = $2', p_person_column)));

-- personal_rows: everything about a person for the export, row by row; writes an event. No row: there is no such
-- person, since a person always has a row. Each table is given with its name and its comment.
create or replace function personal_rows(p_person_id uuid)
    returns table (table_name text, meaning text, content jsonb)
    language plpgsql volatile security definer
    set search_path = school, pg_temp set timezone = 'UTC' as $$
#variable_conflict use_column
declare
    place record;
begin
    if not exists (select from person where organization_id = my_organization() and person_id = p_person_id) then
        return;
    end if;
    for place in select * from personal_data() as m where m.is_exported order by m.table_name loop
        return query execute format(
            'select %L::text, obj_description(%L::regclass, ''pg_class''), %s from school.%I as t where %s order by 3::text',
            place.table_name, 'school.' || place.table_name,
            coalesce(place.shown, format('to_jsonb(t) - %L::text[]', coalesce(place.hidden, '{}'))),
            place.table_name, rows_of_person(place.person_column, place.whose))
        using my_organization(), p_person_id;
    end loop;
    perform audit('export', 'person', p_person_id::text, '{}');
end $$;

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
    insert into deletion (organization_id, deletion_id, kind, subject_id)
    values (my_organization(), new_id(), 'person', p_person_id);
    sums := sums || jsonb_build_object('export', expire_exports_of(my_organization(), 'erasure'));
    perform audit('erasure', 'person', p_person_id::text, jsonb_build_object('counts', sums));
    return query select 'erased', r.erased_at, r.counts from erasure_receipt(p_person_id) as r;
end $$;
grant execute on function personal_rows(uuid), erase_person(uuid) to school_administrator;
