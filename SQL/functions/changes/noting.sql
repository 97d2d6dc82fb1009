-- Functions of changes: noting that something was created, changed or removed, in the transaction that does it.

-- note_changes(kind, key): notes what a statement did to the rows of a table. A row that only got a new version did not
-- change. With the third argument 'part', the rows belong to something else, such as roles to a person: whatever
-- happens to them, that has changed.
--
-- Once per statement, not per row: an import of 100,000 people notes them with one insert. What one transaction does
-- to one thing is one row; that it was created outlasts what changed in it afterwards.
create or replace function note_changes() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    kind    constant text := tg_argv[0];
    key     constant text := tg_argv[1];
    is_part constant boolean := tg_nargs > 2;
    what    text := case when is_part then 'changed' when tg_op = 'INSERT' then 'created'
                         when tg_op = 'DELETE' then 'removed' else 'changed' end;
    rows    text := case tg_op when 'DELETE' then 'former' else 'changed' end || ' as r';
begin
    if tg_op = 'UPDATE' and not is_part then
        rows := format('changed as r join former as f on f.organization_id = r.organization_id and f.%1$I = r.%1$I'
                       ' where (%2$s) is distinct from (%3$s)', key,
                       telling_columns(tg_relid, 'r'), telling_columns(tg_relid, 'f'));
    end if;
    execute format('select note_changed(%L, %L, array_agg(r.organization_id), array_agg(r.%I)) from %s',
                   kind, what, key, rows);
    return null;
end $$;

-- telling_columns (internal): the columns of a table that say something about a row, for a comparison.
create or replace function telling_columns(p_table oid, p_row text) returns text
    language sql stable
    set search_path = school, pg_temp
begin atomic
    select string_agg(format('%I.%I', p_row, attname), ', ' order by attnum)
      from pg_attribute
     where attrelid = p_table and attnum > 0 and not attisdropped
       and attname not in ('version', 'updated_at');
end;

-- note_changed (internal): notes one kind of change of many things; nulls note nothing. Nobody follows a development
-- environment.
create or replace function note_changed(p_kind text, p_what text, p_organization_ids uuid[], p_subject_ids uuid[])
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into change as c (organization_id, kind, subject_id, what, changed_by)
    select distinct r.organization_id, p_kind, r.subject_id, p_what, my_person()
      from unnest(p_organization_ids, p_subject_ids) as r (organization_id, subject_id)
     where r.organization_id not in (select development_id from development_directory)
        on conflict on constraint change_pkey do update
           set what = case when c.what = 'removed' and excluded.what = 'created' then 'changed' else excluded.what end
         where c.what <> excluded.what and excluded.what <> 'changed';
end $$;

-- note_changed_handouts: a handout is removed by setting deleted_at; from then on nothing of it is news.
create or replace function note_changed_handouts() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform note_changed('handout', w.what, array_agg(w.organization_id), array_agg(w.handout_id))
       from (select r.organization_id, r.handout_id,
                    case when r.deleted_at is null then 'changed' else 'removed' end as what
               from changed as r
               join former as f on f.organization_id = r.organization_id and f.handout_id = r.handout_id
              where f.deleted_at is null
                and to_jsonb(r) - '{version,updated_at}'::text[] <> to_jsonb(f) - '{version,updated_at}'::text[]) as w
      group by w.what;
    return null;
end $$;

-- note_removed_handouts: a row that goes, unless the handout was removed before.
create or replace function note_removed_handouts() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform note_changed('handout', 'removed', array_agg(f.organization_id), array_agg(f.handout_id))
       from former as f where f.deleted_at is null;
    return null;
end $$;

create or replace trigger note_new_locations after insert on location
    referencing new table as changed for each statement execute function note_changes('location', 'location_id');
create or replace trigger note_changed_locations after update on location
    referencing new table as changed old table as former
    for each statement execute function note_changes('location', 'location_id');
create or replace trigger note_removed_locations after delete on location
    referencing old table as former for each statement execute function note_changes('location', 'location_id');

create or replace trigger note_new_terms after insert on term
    referencing new table as changed for each statement execute function note_changes('term', 'term_id');
create or replace trigger note_changed_terms after update on term
    referencing new table as changed old table as former
    for each statement execute function note_changes('term', 'term_id');
create or replace trigger note_removed_terms after delete on term
    referencing old table as former for each statement execute function note_changes('term', 'term_id');

create or replace trigger note_new_courses after insert on course
    referencing new table as changed for each statement execute function note_changes('course', 'course_id');
create or replace trigger note_changed_courses after update on course
    referencing new table as changed old table as former
    for each statement execute function note_changes('course', 'course_id');
create or replace trigger note_removed_courses after delete on course
    referencing old table as former for each statement execute function note_changes('course', 'course_id');

create or replace trigger note_new_people after insert on person
    referencing new table as changed for each statement execute function note_changes('person', 'person_id');
create or replace trigger note_changed_people after update on person
    referencing new table as changed old table as former
    for each statement execute function note_changes('person', 'person_id');
create or replace trigger note_removed_people after delete on person
    referencing old table as former for each statement execute function note_changes('person', 'person_id');
create or replace trigger note_given_roles after insert on person_role
    referencing new table as changed for each statement execute function note_changes('person', 'person_id', 'part');
create or replace trigger note_changed_roles after update on person_role
    referencing new table as changed for each statement execute function note_changes('person', 'person_id', 'part');
create or replace trigger note_taken_roles after delete on person_role
    referencing old table as former for each statement execute function note_changes('person', 'person_id', 'part');

create or replace trigger note_new_classes after insert on class
    referencing new table as changed for each statement execute function note_changes('class', 'class_id');
create or replace trigger note_changed_classes after update on class
    referencing new table as changed old table as former
    for each statement execute function note_changes('class', 'class_id');
create or replace trigger note_removed_classes after delete on class
    referencing old table as former for each statement execute function note_changes('class', 'class_id');

create or replace trigger note_new_seats after insert on seat
    referencing new table as changed for each statement execute function note_changes('roster', 'class_id', 'part');
create or replace trigger note_changed_seats after update on seat
    referencing new table as changed for each statement execute function note_changes('roster', 'class_id', 'part');
create or replace trigger note_removed_seats after delete on seat
    referencing old table as former for each statement execute function note_changes('roster', 'class_id', 'part');

create or replace trigger note_new_handouts after insert on handout
    referencing new table as changed for each statement execute function note_changes('handout', 'handout_id');
create or replace trigger note_changed_handouts after update on handout
    referencing new table as changed old table as former
    for each statement execute function note_changed_handouts();
create or replace trigger note_removed_handouts after delete on handout
    referencing old table as former for each statement execute function note_removed_handouts();
create or replace trigger note_new_tasks after insert on task
    referencing new table as changed for each statement execute function note_changes('handout', 'handout_id', 'part');
create or replace trigger note_changed_tasks after update on task
    referencing new table as changed for each statement execute function note_changes('handout', 'handout_id', 'part');
create or replace trigger note_removed_tasks after delete on task
    referencing old table as former for each statement execute function note_changes('handout', 'handout_id', 'part');
create or replace trigger note_new_recipients after insert on handout_recipient
    referencing new table as changed for each statement execute function note_changes('handout', 'handout_id', 'part');
create or replace trigger note_removed_recipients after delete on handout_recipient
    referencing old table as former for each statement execute function note_changes('handout', 'handout_id', 'part');
