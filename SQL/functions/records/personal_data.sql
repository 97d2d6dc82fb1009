-- One person's data: where it is stored, and exporting it.
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
        ('badge',          'person_id', null, null, true, '{digest}', null),
        ('credential',   'person_id', null, null, true, '{password_record}', null),
        ('sign_in_change', 'person_id', null, null, true, '{by_person_id}', null),
        ('sign_in_change', 'by_person_id', null, 'by_person_id = null', false, null, null),
        -- Answers that are kept for a day: the person's own, and those to others about the person
        ('idempotency_key', null, 't.caller like $2::text || ''/%''', null, true,
            '{request_digest, headers, body}', null),
        ('idempotency_key', null, $w$ position(convert_to($2::text, 'UTF8') in t.body) > 0
            or array_to_string(t.headers, ' ') like '%' || $2::text || '%' $w$,
            'body = null, headers = ''{}''', false, null, null),
        -- What a student did; first what apps reported of it that is not stored yet
        ('upload', 'person_id', $w$ t.person_id = $2 and t.bundle_id <> 'tool:' $w$, null, true, null, null),
        -- Scores for an unknown pseudonym wait in the inbox of a student whom they do not concern (take_tool_score).
        ('upload', 'person_id', $w$ t.person_id = $2 and t.bundle_id = 'tool:' $w$, null, false, null, null),
        ('assignment_figures',  'person_id', null, null, true, null, null),
        ('activity_item',       'person_id', null, null, true, null, null),
        ('activity_part',       'person_id', null, null, true, '{digest}', null),
        ('activity_assignment', 'person_id', null, null, true, '{part_digest}', null),
        ('activity',            'person_id', null, null, true, null, null),
        ('tool_launch',         'person_id', null, null, true, '{digest}', null),
        ('assignment',          'person_id', null, null, true, null, null),
        ('review',              'person_id', null, null, true, '{teacher_id}', null),
        ('review',              'teacher_id', null, null, true, '{person_id}', null),
        -- A conversation goes with its student. What a teacher wrote stays in it, and forgets who that was.
        ('comment_seen',        'person_id', 't.person_id = $2 and t.reader_id <> $2', null, false, null, null),
        ('comment_seen',        'reader_id', null, null, true, '{person_id}', null),
        ('comment',             'person_id', null, null, true, null,
            $s$ to_jsonb(t) - 'author_id' || jsonb_build_object(
                'written_by', case when t.author_id = t.person_id then 'student' else 'teacher' end) $s$),
        ('comment',             'author_id', 't.author_id = $2 and t.person_id <> $2', 'author_id = null', true,
            '{person_id}', null),
        -- A mark goes with its student, and forgets a teacher who is erased. A draft is its author's alone, also in the
        -- archive of the student.
        ('mark_draft',          'person_id', null, null, false, null, null),
        ('mark_draft',          'author_id', null, null, true, '{person_id}', null),
        ('mark',                'person_id', null, null, true, '{author_id}', null),
        ('mark',                'author_id', 't.author_id = $2 and t.person_id <> $2', 'author_id = null', true,
            '{person_id}', null),
        ('handout_recipient',   'person_id', null, null, true, null, null),
        ('grade',               'person_id', null, null, true, null,
            $s$ to_jsonb(t) || jsonb_build_object(
                'item', (select i.title from school.gradebook_item as i
                          where i.organization_id = $1 and i.gradebook_item_id = t.gradebook_item_id),
                'system', (select a.name from school.service_account as a
                            where a.organization_id = $1 and a.service_account_id = t.service_account_id)) $s$),
        ('former_recipient',    'person_id', null, null, true, null, null),
        -- What a teacher wrote: drafts belong to the author alone, the class keeps the rest
        ('handout_recipient', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('former_recipient', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('handout_lock', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('comment_seen', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('comment', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('mark_draft', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('mark', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('review', null, $w$ t.task_id in (select k.task_id from school.task as k
            join school.handout as h on h.organization_id = k.organization_id and h.handout_id = k.handout_id
            where k.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('watched_report', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('tool_launch', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('tool_line_item', null, $w$ t.task_id in (select k.task_id from school.task as k
            join school.handout as h on h.organization_id = k.organization_id and h.handout_id = k.handout_id
            where k.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('task', null, $w$ t.handout_id in (select h.handout_id from school.handout as h
            where h.organization_id = $1 and h.author_id = $2 and h.publish_at is null) $w$, null, false, null, null),
        ('handout', null, 't.author_id = $2 and t.publish_at is null', null, false, null, null),
        ('handout', 'author_id', null, 'author_id = null', true, null, null),
        ('announcement', 'author_id', null, 'author_id = null', true, '{edited_by}', null),
        ('announcement', 'edited_by', null, 'edited_by = null', false, null, null),
        ('app', 'edited_by', null, 'edited_by = null', false, null, null),
        ('news_seen', 'person_id', null, null, true, null, null),
        ('task', 'context_owner_id', null, 'context_owner_id = null, withdrawn_at = school.moment()', true, null, null),
        ('native_thumbnail', null, $w$ t.context_id in (select c.context_id from school.context as c
            where c.organization_id = $1 and c.person_id = $2) $w$, null, true, null, null),
        ('context', 'person_id', null, null, true, '{change}', null),
        ('removed_context', 'person_id', null, null, true, '{change}', null),
        -- That something of the person changed. That the person is gone is noted afterwards, for those who follow.
        ('change', null, $w$ t.kind = 'person' and t.subject_id = $2 $w$, null, false, null, null),
        ('change', 'changed_by', null, 'changed_by = null', false, null, null),
        ('webhook_attempt', null, $w$ t.delivery_id in (select d.delivery_id from school.webhook_delivery as d
            where d.organization_id = $1 and d.next_attempt_at is null and strpos(d.body, $2::text) > 0) $w$, null,
            false, null, null),
        ('webhook_delivery', null, $w$ t.next_attempt_at is null and strpos(t.body, $2::text) > 0 $w$, null, false,
            null, null),
        -- To where others have read the roster; what they sort by may be anybody's name
        ('roster_place', null, $w$ t.sorted_by is not null or strpos(t.sourced_id, $2::text) > 0
            or t.sourced_id in (select p.source_id from school.person as p
                                 where p.organization_id = $1 and p.person_id = $2
                                union all
                                select s.source_id from school.seat as s
                                 where s.organization_id = $1 and s.person_id = $2) $w$, null, false, null, null),
        -- The directory
        ('seat',                 'person_id', null, null, true, '{seated_by}', null),
        ('seat',                 'seated_by', null, 'seated_by = null', false, null, null),
        ('class',                'made_by',   null, 'made_by = null', true, null, null),
        ('roster_search',        'person_id', null, null, true, null, null),
        ('person_role',          'person_id', null, null, true, null, null),
        ('retention_hold',       'person_id', null, null, true, null, null),
        ('external_id',          'person_id', null, null, true, null,
            $s$ to_jsonb(t) || jsonb_build_object(
                'system', (select a.name from school.service_account as a
                            where a.organization_id = $1 and a.service_account_id = t.service_account_id)) $s$),
        ('person_correction',    'person_id', null, null, true, '{corrected_by}', null),
        ('person_correction',    'corrected_by', null, 'corrected_by = null', false, null, null),
        ('licence',              'person_id', null, null, true, null, null),
        -- What imports reported about the line that brought the person, found by the ids in that line
        ('import_change', 'person_id', $w$ t.person_id = $2 or exists (select from school.person as p
            where p.organization_id = $1 and p.person_id = $2
              and p.source_id in (t.source_id, t.person_source_id)) $w$, null, true, null, null),
        -- Without the rows of one person an import cannot be undone, so that all of its rows go.
        ('import_undo', null, $w$ t.import_id in (select u.import_id from school.import_undo as u
            where u.organization_id = $1 and (u.person_id = $2 or $2 = any (u.ids)))
            and t.person_id is distinct from $2 and not coalesce($2 = any (t.ids), false) $w$, null, false, null, null),
        ('import_undo', 'person_id', $w$ t.person_id = $2 or $2 = any (t.ids) $w$, null, true, null,
            $s$ jsonb_strip_nulls(jsonb_build_object(
                'import_id', t.import_id, 'kind', t.kind, 'change', t.change, 'class_id', t.class_id,
                'location_id', t.location_id, 'role', t.role,
                'joined_at', coalesce(t.joined_at, t.joined[array_position(t.ids, $2)]),
                'before', case when t.ids is null then t.before
                               else t.before -> (array_position(t.ids, $2) - 1) end, 'after', t.after)) $s$),
        -- What imports reported about the person, whose name clipped() in Swift may have shortened
        ('import_problem', null, $w$ exists (select from school.person as p
            cross join unnest(array[p.source_id, p.managed_id, p.email, p.person_number]) as n (name)
            where p.organization_id = $1 and p.person_id = $2
              and strpos(t.detail, '"' || left(n.name, 80)
                                       || case when char_length(n.name) > 80 then '…"' else '"' end) > 0) $w$,
            null, true, null, null),
        -- Why a pull failed, with the id shortened the same way
        ('roster_source', null, $w$ exists (select from school.person as p
            where p.organization_id = $1 and p.person_id = $2
              and strpos(t.failure_detail, '"' || left(p.source_id, 80)) > 0) $w$,
            $c$ failure_detail = 'The reason named a person who was erased.' $c$, false, null, null),
        ('import',               'person_id', null, 'person_id = null', true, '{undone_by}', null),
        ('import',               'undone_by', null, 'undone_by = null', false, null, null),
        ('deletion',             'person_id', null, null, true, null, null),
        ('person',               'person_id', null, null, true, null, null),
        ('managed_id_directory', 'person_id', null, null, true, null, null),
        -- What the removal of these rows has left
        ('roster_tombstone',     'person_id', null, null, true, null, null),
        -- Who looked at the work of whom, a person or another system. A student's rows go with the student; those of a
        -- reader stay for the students, and forget who it was. A reader's rows do not say at whose work he or she
        -- looked.
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
                'system', (select a.name from school.service_account as a
                            where a.organization_id = $1 and a.service_account_id = t.system_id),
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
grant execute on function personal_rows(uuid) to school_administrator;
