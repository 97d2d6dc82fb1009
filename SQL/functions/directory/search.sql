-- Functions of search by name in small tables: locations, courses, classes and terms. People are found by
-- search_people() in functions/directory/people.sql.

-- Names are folded as they are stored: by folded(), which migrations/0001_directory.sql creates. Roles that write
-- names need the right to execute it.
grant execute on function unaccented(text), folded(text) to school_standing;

-- name_patterns (internal): LIKE patterns on name_text for the words of a query, at most six; further words are
-- ignored. A word of one or two Latin letters matches only at the beginning of a name: otherwise it would match half
-- of all names, and no index would help.
create or replace function name_patterns(query text) returns text[]
    language sql immutable strict parallel safe
    return (select array_agg(case when w.word ~ '^[a-z]{1,2}$' then '% ' || w.word || '%'
                                  else '%' || replace(w.word, '%', '\%') || '%' end order by w.position)
              from regexp_split_to_table(replace(btrim(folded(query)), '\', '\\'), '\s+')
                   with ordinality as w (word, position)
             where w.position <= 6 and w.word <> '');

-- find_named: the ids of rows whose names contain every word of a query, ignoring accents and case: locations and
-- terms by name, courses also by number, classes also by number and display name. Uses no index: there are some
-- thousands. Definer, because of name_patterns(), so it checks the organization itself, and returns only a teacher's
-- own classes.
create or replace function find_named(p_kind text, p_query text) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    patterns constant text[] := name_patterns(p_query);
    taught   constant uuid[] := case when my_standing() = 'teacher' then my_taught_class_ids() end;
begin
    return case p_kind
        when 'location' then array(
            select location_id from location
             where organization_id = my_organization() and name_text like all (patterns))
        when 'term' then array(
            select term_id from term
             where organization_id = my_organization() and name_text like all (patterns))
        when 'course' then array(
            select course_id from course
             where organization_id = my_organization() and name_text like all (patterns))
        when 'class' then array(
            select class_id from class
             where organization_id = my_organization() and name_text like all (patterns)
               and (taught is null or class_id = any (taught)))
        end;
end $$;
grant execute on function find_named(text, text) to school_directory_reader, school_teacher;
