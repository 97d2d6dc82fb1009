-- Functions of OneRoster's gradebook: what is removed from it, by its id or by writing it as removed.

-- remove_gradebook_row: removes a row that the caller wrote, with what depends on it. Only ids and references stay.
create or replace function remove_gradebook_row(p_table text, p_id uuid) returns void
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    if p_table in ('grade', 'gradebook_item') then
        update grade
           set deleted_at = moment(), status = 'not submitted', score = null, text_score = null, comment = null,
               is_in_progress = null, is_incomplete = null, is_late = null, is_missing = null, more = null
         where organization_id = my_organization() and deleted_at is null
           and case p_table when 'grade' then grade_id else gradebook_item_id end = p_id;
    end if;
    if p_table <> 'grade' then
        execute format('update %2$I set deleted_at = moment(), more = null
                         where organization_id = my_organization() and deleted_at is null and %1$I = $1',
                       p_table || '_id', p_table) using p_id;
    end if;
end $$;

-- remove_from_gradebook: the same by sourcedId. Outcomes: removed, foreign, unknown.
create or replace function remove_from_gradebook(p_table text, p_sourced_id text) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    target constant uuid := hold_gradebook_row(p_table, p_sourced_id);
begin
    if own_gradebook_row(p_table, p_sourced_id, false) is null then
        return case when is_foreign_in_gradebook(p_table, p_sourced_id) then 'foreign' else 'unknown' end;
    end if;
    perform remove_gradebook_row(p_table, target);
    return 'removed';
end $$;

-- finish_gradebook_row: what every put_… function ends with: a row that was written as removed is removed.
create or replace function finish_gradebook_row(p_table text, p_id uuid, p_object jsonb) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    if p_object ->> 'status' = 'tobedeleted' then
        perform remove_gradebook_row(p_table, p_id);
    end if;
    return 'stored';
end $$;

grant execute on function remove_gradebook_row(text, uuid), remove_from_gradebook(text, text),
    finish_gradebook_row(text, uuid, jsonb)
    to school_roster_reader;
