-- Functions of OneRoster's gradebook: storing and removing what other systems send, with the rights of the caller.
--
-- Those that store take an object of the standard whose shape was checked, the sourcedId that the caller chose (null:
-- ours), and our id for a new row. They return 'stored'; 'foreign' where a handout, Homeroom or another system wrote
-- what has this sourcedId; or the member of the object that refers to something that does not exist for the caller.

-- oneroster_uuid: a sourcedId as one of our ids; null if it is none.
create or replace function oneroster_uuid(p_text text) returns uuid
    language sql immutable parallel safe
    return case when p_text ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then p_text::uuid end;

-- oneroster_time: a time of the standard; a day means its beginning.
create or replace function oneroster_time(p_text text) returns timestamptz
    language sql immutable parallel safe
    return case when char_length(p_text) = 10 then (p_text || 'T00:00:00')::timestamp at time zone 'UTC'
                else p_text::timestamptz end;

-- more_of_object: the members that are stored as they are.
create or replace function more_of_object(p_object jsonb) returns jsonb
    language sql immutable parallel safe
    return nullif(jsonb_strip_nulls(jsonb_build_object(
        'metadata', p_object -> 'metadata', 'learningObjectiveSet', p_object -> 'learningObjectiveSet')), '{}');

-- own_gradebook_row: the id of a row that the caller wrote; null if there is none.
create or replace function own_gradebook_row(p_table text, p_sourced_id text, p_removed boolean) returns uuid
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    found uuid;
begin
    execute format('select %1$I from %2$I where organization_id = my_organization()
                       and service_account_id = my_service_account() and (deleted_at is null or $2)
                       and (source_id = $1 or source_id is null and %1$I = oneroster_uuid($1))',
                   p_table || '_id', p_table)
       into found using p_sourced_id, p_removed;
    return found;
end $$;

-- read_gradebook_row: the id of a row that the caller lists, under its sourcedId (gradebook_id); null if there is none.
create or replace function read_gradebook_row(p_table text, p_sourced_id text) returns uuid
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    found uuid := own_gradebook_row(p_table, p_sourced_id, false);
begin
    if found is null then
        execute format('select %1$I from %2$I where organization_id = my_organization() and deleted_at is null
                           and service_account_id is distinct from my_service_account() and %1$I = oneroster_uuid($1)',
                       p_table || '_id', p_table)
           into found using p_sourced_id;
    end if;
    return found;
end $$;

-- hold_gradebook_row: the same as own_gradebook_row for a row that is about to be written. Two calls that write it wait
-- for each other.
create or replace function hold_gradebook_row(p_table text, p_sourced_id text) returns uuid
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(concat_ws(' ', p_table, my_service_account(), p_sourced_id), 0));
    return own_gradebook_row(p_table, p_sourced_id, true);
end $$;

-- is_foreign_in_gradebook: whether a sourcedId, of which the caller wrote nothing, names something that it sees
-- nevertheless: by our ids (gradebook.sql).
create or replace function is_foreign_in_gradebook(p_table text, p_sourced_id text) returns boolean
    language plpgsql stable
    set search_path = school, pg_temp as $$
declare
    own       constant uuid := my_organization();
    account   constant uuid := my_service_account();
    id        constant uuid := oneroster_uuid(p_sourced_id);
    of_task   constant uuid := oneroster_uuid(split_part(p_sourced_id, '_', 1));
    of_person constant uuid := oneroster_uuid(split_part(p_sourced_id, '_', 2));
begin
    return case p_table
        when 'gradebook_category' then p_sourced_id = default_category() or exists (
            select from gradebook_category as c
             where c.organization_id = own and c.gradebook_category_id = id and c.service_account_id <> account)
        when 'gradebook_scale' then exists (
            select from gradebook_scale as s
             where s.organization_id = own and s.gradebook_scale_id = id and s.service_account_id <> account)
        when 'gradebook_item' then
            exists (select from gradebook_item as i
                     where i.organization_id = own and i.gradebook_item_id = id and i.service_account_id <> account)
            or exists (select from task as t where t.organization_id = own and t.task_id = id)
        else exists (select from grade as g
                      where g.organization_id = own and g.grade_id = id and g.service_account_id <> account)
            or exists (select from assignment as a
                        where a.organization_id = own and a.task_id = of_task and a.person_id = of_person)
            or exists (select from assignment_figures as f
                        where f.organization_id = own and f.task_id = of_task and f.person_id = of_person) end;
end $$;

-- gradebook_class: the class that a sourcedId names, if the caller may use its gradebook.
create or replace function gradebook_class(p_sourced_id text) returns uuid
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return (select c.class_id from class as c
             where c.organization_id = my_organization()
               and (c.source_id = p_sourced_id or c.source_id is null and c.class_id = oneroster_uuid(p_sourced_id))
               and c.class_id = any ((select my_gradebook_class_ids(false))::uuid[]));
end $$;

-- put_gradebook_category: stores a category.
create or replace function put_gradebook_category(p_sourced_id text, p_id uuid, p_object jsonb) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    target constant uuid := hold_gradebook_row('gradebook_category', p_sourced_id);
begin
    if target is null and is_foreign_in_gradebook('gradebook_category', p_sourced_id) then
        return 'foreign';
    elsif target is null then
        insert into gradebook_category (organization_id, gradebook_category_id, service_account_id, source_id, title,
                                        weight, more)
        values (my_organization(), p_id, my_service_account(), p_sourced_id, p_object ->> 'title',
                (p_object ->> 'weight')::double precision, more_of_object(p_object));
    else
        update gradebook_category
           set title = p_object ->> 'title', weight = (p_object ->> 'weight')::double precision,
               more = more_of_object(p_object), deleted_at = null
         where organization_id = my_organization() and gradebook_category_id = target;
    end if;
    return finish_gradebook_row('gradebook_category', coalesce(target, p_id), p_object);
end $$;

-- put_gradebook_scale: stores a score scale.
create or replace function put_gradebook_scale(p_sourced_id text, p_id uuid, p_object jsonb) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    target   constant uuid := hold_gradebook_row('gradebook_scale', p_sourced_id);
    group_id constant uuid := gradebook_class(p_object #>> '{class,sourcedId}');
begin
    if target is null and is_foreign_in_gradebook('gradebook_scale', p_sourced_id) then
        return 'foreign';
    elsif group_id is null then
        return 'class';
    elsif target is null then
        insert into gradebook_scale (organization_id, gradebook_scale_id, service_account_id, source_id, class_id,
                                     title, kind, entries, more)
        values (my_organization(), p_id, my_service_account(), p_sourced_id, group_id, p_object ->> 'title',
                p_object ->> 'type', p_object -> 'scoreScaleValue', more_of_object(p_object));
    else
        update gradebook_scale
           set class_id = group_id, title = p_object ->> 'title', kind = p_object ->> 'type',
               entries = p_object -> 'scoreScaleValue', more = more_of_object(p_object), deleted_at = null
         where organization_id = my_organization() and gradebook_scale_id = target;
    end if;
    return finish_gradebook_row('gradebook_scale', coalesce(target, p_id), p_object);
end $$;

-- put_gradebook_item: stores a line item. Its class does not change while it has results.
create or replace function put_gradebook_item(p_sourced_id text, p_id uuid, p_object jsonb) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    own      constant uuid := my_organization();
    target   constant uuid := hold_gradebook_row('gradebook_item', p_sourced_id);
    group_id constant uuid := gradebook_class(p_object #>> '{class,sourcedId}');
    session  constant text := nullif(coalesce(p_object #>> '{academicSession,sourcedId}',
                                              p_object #>> '{gradingPeriod,sourcedId}'), oneroster_default_term());
    wanted   constant text := nullif(p_object #>> '{category,sourcedId}', default_category());
    category constant uuid := read_gradebook_row('gradebook_category', wanted);
    scale    constant uuid := read_gradebook_row('gradebook_scale', p_object #>> '{scoreScale,sourcedId}');
    begins   constant timestamptz := coalesce(oneroster_time(p_object ->> 'assignDate'), moment());
    session_id uuid;
    place      text;
begin
    select oneroster_id(l.source_id, l.location_id) into place
      from class as c join location as l on l.organization_id = c.organization_id and l.location_id = c.location_id
     where c.organization_id = own and c.class_id = group_id;
    if target is null and is_foreign_in_gradebook('gradebook_item', p_sourced_id) then
        return 'foreign';
    elsif group_id is null or exists (
        select from grade as g
         where g.organization_id = own and g.gradebook_item_id = target and g.class_id <> group_id) then
        return 'class';
    elsif place <> p_object #>> '{school,sourcedId}' then
        return 'school';
    elsif category is null and wanted is not null then
        return 'category';
    elsif scale is null and p_object #>> '{scoreScale,sourcedId}' is not null then
        return 'scoreScale';
    end if;
    if session is not null then
        select t.term_id into session_id from term as t
         where t.organization_id = own and oneroster_id(t.source_id, t.term_id) = session;
        if not found then
            return case when p_object ? 'academicSession' then 'academicSession' else 'gradingPeriod' end;
        end if;
    end if;
    if target is null then
        insert into gradebook_item (organization_id, gradebook_item_id, service_account_id, source_id, class_id,
                                    gradebook_category_id, gradebook_scale_id, term_id, title, description,
                                    assigned_at, due_at, value_min, value_max, more)
        values (own, p_id, my_service_account(), p_sourced_id, group_id, category, scale, session_id,
                p_object ->> 'title', p_object ->> 'description', begins,
                coalesce(oneroster_time(p_object ->> 'dueDate'), begins),
                (p_object ->> 'resultValueMin')::double precision, (p_object ->> 'resultValueMax')::double precision,
                more_of_object(p_object));
    else
        update gradebook_item as i
           set class_id = group_id, gradebook_category_id = category, gradebook_scale_id = scale,
               term_id = session_id, title = p_object ->> 'title',
               description = p_object ->> 'description', assigned_at = begins,
               due_at = coalesce(oneroster_time(p_object ->> 'dueDate'), begins),
               value_min = (p_object ->> 'resultValueMin')::double precision,
               value_max = (p_object ->> 'resultValueMax')::double precision, more = more_of_object(p_object),
               deleted_at = null
         where i.organization_id = own and i.gradebook_item_id = target;
    end if;
    return finish_gradebook_row('gradebook_item', coalesce(target, p_id), p_object);
end $$;

-- put_grade: stores a result of a line item that the caller wrote, for a student who sits or sat in its class.
create or replace function put_grade(p_sourced_id text, p_id uuid, p_object jsonb) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    own     constant uuid := my_organization();
    target  constant uuid := hold_gradebook_row('grade', p_sourced_id);
    wanted  constant text := p_object #>> '{lineItem,sourcedId}';
    item    gradebook_item;
    student uuid;
    scale   constant uuid := read_gradebook_row('gradebook_scale', p_object #>> '{scoreScale,sourcedId}');
begin
    if target is null and is_foreign_in_gradebook('grade', p_sourced_id) then
        return 'foreign';
    end if;
    select i.* into item from gradebook_item as i
     where i.organization_id = own and i.gradebook_item_id = own_gradebook_row('gradebook_item', wanted, false);
    if item.gradebook_item_id is null then
        return case when is_foreign_in_gradebook('gradebook_item', wanted) then 'foreign' else 'lineItem' end;
    end if;
    select p.person_id into student from person as p
     where p.organization_id = own
       and (p.source_id = p_object #>> '{student,sourcedId}'
            or p.source_id is null and p.person_id = oneroster_uuid(p_object #>> '{student,sourcedId}'))
       and exists (select from seat as s
                    where s.organization_id = own and s.class_id = item.class_id and s.person_id = p.person_id
                      and s.role = 'student');
    if student is null then
        return 'student';
    elsif p_object #>> '{class,sourcedId}' is not null
      and gradebook_class(p_object #>> '{class,sourcedId}') is distinct from item.class_id then
        return 'class';
    elsif scale is null and p_object #>> '{scoreScale,sourcedId}' is not null then
        return 'scoreScale';
    end if;
    if target is null then
        insert into grade (organization_id, grade_id, service_account_id, source_id, gradebook_item_id, class_id,
                           person_id, status, scored_on)
        values (own, p_id, my_service_account(), p_sourced_id, item.gradebook_item_id, item.class_id, student,
                p_object ->> 'scoreStatus', left(p_object ->> 'scoreDate', 10)::date);
    end if;
    update grade
       set gradebook_item_id = item.gradebook_item_id, class_id = item.class_id, person_id = student,
           gradebook_scale_id = scale, status = p_object ->> 'scoreStatus',
           score = (p_object ->> 'score')::double precision, text_score = p_object ->> 'textScore',
           scored_on = left(p_object ->> 'scoreDate', 10)::date, comment = p_object ->> 'comment',
           is_in_progress = (p_object ->> 'inProgress')::boolean, is_incomplete = (p_object ->> 'incomplete')::boolean,
           is_late = (p_object ->> 'late')::boolean, is_missing = (p_object ->> 'missing')::boolean,
           more = more_of_object(p_object), deleted_at = null
     where organization_id = own and grade_id = coalesce(target, p_id);
    return finish_gradebook_row('grade', coalesce(target, p_id), p_object);
end $$;

grant execute on function oneroster_uuid(text), oneroster_time(text), more_of_object(jsonb),
    own_gradebook_row(text, text, boolean), read_gradebook_row(text, text), hold_gradebook_row(text, text),
    is_foreign_in_gradebook(text, text),
    gradebook_class(text), put_gradebook_category(text, uuid, jsonb), put_gradebook_scale(text, uuid, jsonb),
    put_gradebook_item(text, uuid, jsonb), put_grade(text, uuid, jsonb)
    to school_roster_reader;
