-- Functions of imports: what an archive says about a row of the directory, and what the row becomes.
--
-- A planned row is a whole row of the directory, so a column that no archive has is not named anywhere in imports. A
-- column that an archive has is named here twice: in import_fields, from which changes are listed and written, and in
-- the merge rule of its table. SQL/README.md lists what else it needs.

-- import_fields (internal): the columns of a table that an import sets, in the order of a list of changes: the
-- column, its name in that list (null: not listed), and the rows in which it is set: new rows, rows already in the
-- directory, or all.
create or replace function import_fields(p_table text) returns text[]
    language sql immutable
    return case p_table
        when 'location' then array[
            ['source_id',        null,             'new'],
            ['name',             'name',           'all']]
        when 'term' then array[
            ['source_id',        null,             'new'],
            ['parent_id',        'parentId',       'all'],
            ['name',             'name',           'all'],
            ['kind',             'kind',           'all'],
            ['starts_on',        'startsOn',       'all'],
            ['ends_on',          'endsOn',         'all'],
            ['origin',           null,             'all']]
        when 'person' then array[
            ['source_id',        null,             'new'],
            ['managed_id',       null,             'new'],
            ['given_name',       'givenName',      'all'],
            ['middle_name',      'middleName',     'all'],
            ['family_name',      'familyName',     'all'],
            ['person_number',    'personNumber',   'all'],
            ['email',            'email',          'all'],
            ['grade',            'grade',          'all'],
            ['password_policy',  'passwordPolicy', 'all'],
            ['deactivated_at',   'status',         'known'],
            ['origin',           'origin',         'all']]
        when 'course' then array[
            ['source_id',        null,             'new'],
            ['location_id',      'locationId',     'all'],
            ['name',             'name',           'all'],
            ['number',           'number',         'all']]
        when 'class' then array[
            ['source_id',        null,             'new'],
            ['location_id',      'locationId',     'all'],
            ['course_id',        'courseId',       'all'],
            ['name',             'name',           'all'],
            ['number',           'number',         'all'],
            ['display_name',     'displayName',    'all'],
            ['room',             'room',           'all'],
            ['term_id',          'termId',         'all'],
            ['archived_at',      'archivedAt',     'known'],
            ['origin',           'origin',         'all']] end;

-- import_differences (internal): the columns in which a row of the directory and the planned one differ, named as in
-- a list of changes.
create or replace function import_differences(p_table text, p_known jsonb, p_becomes jsonb) returns text[]
    language plpgsql immutable
    set search_path = school, pg_temp as $$
declare
    field   text[];
    differs text[] := '{}';
begin
    foreach field slice 1 in array import_fields(p_table) loop
        if field[2] is not null and p_known -> field[1] is distinct from p_becomes -> field[1] then
            differs := differs || field[2];
        end if;
    end loop;
    return differs;
end $$;

-- import_change (internal): what a plan does to a row.
create or replace function import_change(p_is_new boolean, p_differs boolean) returns text
    language sql immutable parallel safe
    return case when p_is_new then 'created' when p_differs then 'changed' else 'unchanged' end;

-- The merge rules: each takes the row of the directory (null if there is none) and the row of the archive, and
-- returns the merged row. One that is known by our id has no id of the information system, and gets none.

-- merged_location (internal)
create or replace function merged_location(l location, s record) returns location
    language plpgsql immutable as $$
begin
    l.source_id := case when l.location_id is null then s.source_id else l.source_id end;
    l.name := s.name;
    return l;
end $$;

-- merged_term (internal): its parent may be planned later, and is added then. One that was made by hand stays so.
create or replace function merged_term(t term, s record) returns term
    language plpgsql immutable as $$
begin
    t.source_id := case when t.term_id is null then s.source_id else t.source_id end;
    t.parent_id := null;
    t.name := s.name;
    t.kind := s.kind;
    t.starts_on := s.starts_on;
    t.ends_on := s.ends_on;
    if t.term_id is null or t.source_id is not null then
        t.origin := 'import';
    end if;
    return t;
end $$;

-- merged_person (internal): only the student template has a grade and a password policy, and may leave out the
-- policy. An email that could not be read changes nothing.
create or replace function merged_person(p person, s record, p_stays_deactivated boolean) returns person
    language plpgsql immutable as $$
begin
    p.source_id := case when p.person_id is null then s.source_id else p.source_id end;
    p.given_name := s.given_name;
    p.middle_name := s.middle_name;
    p.family_name := s.family_name;
    p.person_number := s.person_number;
    p.email := case when s.email is null and s.flaw = 'part' then p.email else s.email end;
    p.grade := case s.kind when 'student' then s.grade else p.grade end;
    p.password_policy := case s.kind when 'student' then coalesce(s.password_policy, p.password_policy) end;
    p.deactivated_at := case when p_stays_deactivated then p.deactivated_at end;
    p.origin := 'import';
    return p;
end $$;

-- merged_course (internal)
create or replace function merged_course(c course, s record) returns course
    language plpgsql immutable as $$
begin
    c.source_id := case when c.course_id is null then s.source_id else c.source_id end;
    c.location_id := s.location_id;
    c.name := coalesce(s.name, s.number, s.source_id);
    c.number := s.number;
    return c;
end $$;

-- merged_class (internal): what an archive does not say about a class is kept: its room, its term, its name for
-- students; and its course, with the name that comes from it, if that could not be read.
create or replace function merged_class(c class, s record, p_stays_archived boolean) returns class
    language plpgsql immutable as $$
begin
    c.source_id := case when c.class_id is null then s.source_id else c.source_id end;
    c.location_id := s.location_id;
    c.course_id := coalesce(s.course_id, c.course_id);
    c.name := case when s.course_id is null and s.name is null then coalesce(c.name, s.full_name) else s.full_name end;
    c.number := s.number;
    c.display_name := coalesce(s.display_name, c.display_name);
    c.room := coalesce(s.room, c.room);
    c.term_id := coalesce(s.term_id, c.term_id);
    c.archived_at := case when p_stays_archived then c.archived_at end;
    c.origin := 'import';
    return c;
end $$;

-- imported_columns (internal): the columns of a table that an import sets in 'new' or 'known' rows.
create or replace function imported_columns(p_table text, p_rows text) returns text[]
    language plpgsql immutable
    set search_path = school, pg_temp as $$
declare
    field  text[];
    chosen text[] := '{}';
begin
    foreach field slice 1 in array import_fields(p_table) loop
        if field[3] in ('all', p_rows) then
            chosen := chosen || field[1];
        end if;
    end loop;
    return chosen;
end $$;

-- import_columns (internal): those columns, each formatted with p_piece.
create or replace function import_columns(p_table text, p_piece text, p_rows text) returns text
    language sql immutable
    return listed_columns(imported_columns(p_table, p_rows), p_piece);

-- apply_import_rows (internal): writes the planned rows of a table, new ones in one statement, so that a term may
-- come before its parent.
create or replace function apply_import_rows(p_table text) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    planned constant text := format('select p.%I as id, p.becomes from %I as p where p.change = ',
                                    p_table || '_id', 'planned_' || p_table);
begin
    execute adding_rows(p_table, imported_columns(p_table, 'new'), planned || '''created''') using my_organization();
    execute changing_rows(p_table, imported_columns(p_table, 'known'), planned || '''changed'' and p.differs')
      using my_organization();
end $$;

grant execute on function
    import_fields(text), import_change(boolean, boolean), import_differences(text, jsonb, jsonb),
    imported_columns(text, text), import_columns(text, text, text), apply_import_rows(text),
    merged_location(location, record),
    merged_term(term, record), merged_person(person, record, boolean), merged_course(course, record),
    merged_class(class, record, boolean)
    to school_directory_manager;
