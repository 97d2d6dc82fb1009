-- Functions of imports: contradictions between rows, settled by leaving out as little as possible.

-- settle_import_mistakes: leaves out what contradicts, pass by pass, because what refers to a row that was left out may
-- have to go as well. p_is_standard: of OneRoster. p_unread: as for import_mistakes.
create or replace function settle_import_mistakes(p_is_standard boolean, p_unread text[]) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    passes_max constant integer := 10;
begin
    for pass in 1 .. passes_max loop
        delete from staged_mistake;
        if p_is_standard then
            insert into staged_mistake select * from oneroster_mistakes(p_unread);
        else
            insert into staged_mistake select * from import_mistakes(p_unread);
        end if;
        exit when not exists (select from staged_mistake);
        perform analyse_import_staging('staged_mistake', 'staged_left_out');
        perform pass_over_mistakes(p_is_standard);
        exit when not exists (select from staged_mistake);
        perform join_repetitions();
        insert into staged_finding
        select file, line, column_name, code, value, known_file, known_line from staged_mistake;
        if p_is_standard then
            perform leave_out_oneroster_values();
        else
            perform leave_out_template_values();
        end if;
        perform leave_out_mistaken_rows();
        perform leave_out_people_without_roles();
    end loop;
end $$;

-- pass_over_mistakes (internal): forgets mistakes that change nothing: in rows that bring nobody and nothing, in values
-- that are not stored, and references to rows that were left out or deleted and that the directory has or does not
-- need. References to other rows that were left out get the line of those.
create or replace function pass_over_mistakes(p_is_standard boolean) returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    today constant text := import_today();
begin
    if p_is_standard then
        delete from staged_mistake as m
         where (m.file = 'enrollments.csv' and m.column_name = 'schoolSourcedId')
            or (m.file = 'roles.csv' and m.code = 'duplicate_id');
        delete from staged_mistake as m using given_user as u
         where m.file = 'users.csv' and u.line = m.line
           and (not is_given(u.status) or u.is_enabled = 'false'
                or cardinality(roles_of_oneroster(coalesce(u.role, 'student'))) = 0);
        delete from staged_mistake as m using given_role as r
         where m.file = 'roles.csv' and r.line = m.line
           and (not is_given(r.status) or cardinality(roles_of_oneroster(r.role)) = 0
                or not is_in_force(r.begins_on, r.ends_on, today, null));
        delete from staged_mistake as m
         using given_enrollment as e left join oneroster_class_ends() as c on c.class_source_id = e.class_source_id
         where m.file = 'enrollments.csv' and e.line = m.line
           and (not is_given(e.status) or coalesce(e.role, '') not in ('student', 'teacher')
                or (m.code <> 'wrong_period' and not is_in_force(e.begins_on, e.ends_on, today, c.ends_on)));
        -- Who was deleted has no seat, and nothing else depends on it.
        delete from staged_mistake as m using given_user as u
         where m.code = 'unknown_reference' and m.column_name = 'userSourcedId' and u.source_id = m.value;
        delete from staged_mistake as m using given_class as c
         where m.code = 'unknown_reference' and m.column_name = 'classSourcedId' and c.source_id = m.value;
    end if;

    update staged_mistake as m set known_line = l.line
      from staged_left_out as l
     where m.code = 'unknown_reference' and l.is_row and l.source_id = m.value
       and l.kind = import_target(m.known_file);
    delete from staged_mistake as m
     where m.code = 'unknown_reference' and m.known_line is not null
       and import_knows(import_target(m.known_file), m.value);
end $$;

-- import_target (internal): what the rows are to which a reference leads; p_place may go on after the file's name.
create or replace function import_target(p_place text) returns text
    language sql immutable
    return case split_part(p_place, ' ', 1)
               when 'users.csv' then 'person' when 'students.csv' then 'person' when 'staff.csv' then 'person'
               when 'orgs.csv' then 'location' when 'locations.csv' then 'location'
               when 'courses.csv' then 'course' when 'classes.csv' then 'class'
               when 'academicSessions.csv' then 'term' end;

-- import_knows (internal): whether the directory has a record of a kind with this id.
create or replace function import_knows(p_kind text, p_id text) returns boolean
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    return case p_kind
        when 'person' then exists (
            select from person where organization_id = my_organization() and source_id = p_id)
        when 'location' then exists (
            select from location where organization_id = my_organization() and source_id = p_id)
        when 'course' then exists (
            select from course where organization_id = my_organization() and source_id = p_id)
        when 'class' then exists (
            select from class where organization_id = my_organization() and source_id = p_id)
        else exists (select from term where organization_id = my_organization() and source_id = p_id) end;
end $$;

-- join_repetitions (internal): a row that says the same as another is that row, and the same seat twice is one seat.
-- The later of them goes, and nothing is lost.
create or replace function join_repetitions() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    place record;
begin
    for place in
        select p.* from import_places() as p
         where p.file in (select m.file from staged_mistake as m where m.code in ('duplicate_id', 'duplicate_seat'))
    loop
        execute format(
            'update staged_mistake as m set code = ''repeated_row'', is_settled = true
               from pg_temp.%1$I as t, pg_temp.%1$I as k
              where m.file = %2$L and m.known_file = m.file and m.code = ''duplicate_id'' and t.line = m.line
                and k.line = m.known_line and to_jsonb(t) - ''line'' = to_jsonb(k) - ''line''',
            place.staging, place.file);
        delete from staged_mistake as m
         where m.file = place.file and m.code <> 'repeated_row'
           and exists (select from staged_mistake as r
                        where r.file = m.file and r.line = m.line and r.code = 'repeated_row');
        if place.kind = 'seat' then
            update staged_mistake set code = 'repeated_seat', is_settled = true
             where file = place.file and code = 'duplicate_seat';
        end if;
        execute format(
            'delete from pg_temp.%1$I as t using staged_mistake as m
              where m.file = %2$L and m.code in (''repeated_row'', ''repeated_seat'') and t.line = m.line',
            place.staging, place.file);
    end loop;
end $$;

-- leave_out_oneroster_values (internal): takes references out of rows of OneRoster that are right without them.
create or replace function leave_out_oneroster_values() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
begin
    update given_org as g set parent_source_id = null from staged_mistake as m
     where m.file = 'orgs.csv' and m.column_name = 'parentSourcedId' and m.line = g.line;
    update given_session as g set parent_source_id = null from staged_mistake as m
     where m.file = 'academicSessions.csv' and m.column_name = 'parentSourcedId' and m.line = g.line;
    update given_course as g set session_source_id = null from staged_mistake as m
     where m.file = 'courses.csv' and m.column_name = 'schoolYearSourcedId' and m.line = g.line;
    update given_class as g set course_source_id = null, flaw = 'part' from staged_mistake as m
     where m.file = 'classes.csv' and m.column_name = 'courseSourcedId' and m.line = g.line;
    update given_class as g set term_source_ids = import_list_without(g.term_source_ids, m.ids)
      from (select line, array_agg(value) as ids from staged_mistake
             where file = 'classes.csv' and column_name = 'termSourcedIds' group by line) as m
     where m.line = g.line;
    update given_enrollment as g set source_id = null from staged_mistake as m
     where m.file = 'enrollments.csv' and m.code = 'duplicate_id' and m.line = g.line;
    update staged_mistake as m set is_settled = true
     where m.column_name in ('parentSourcedId', 'schoolYearSourcedId', 'courseSourcedId', 'termSourcedIds')
        or (m.file = 'enrollments.csv' and m.code = 'duplicate_id');

    -- Users without any school left go; others keep their roles at the schools that were left out.
    with kept as (
        update given_user as g set org_source_ids = import_list_without(g.org_source_ids, m.ids)
          from (select line, array_agg(value) as ids from staged_mistake
                 where file = 'users.csv' and column_name = 'orgSourcedIds' group by line) as m
         where m.line = g.line and import_list_without(g.org_source_ids, m.ids) is not null
        returning g.line, g.source_id),
    settled as (
        update staged_mistake as m set is_settled = true
          from kept as k
         where m.file = 'users.csv' and m.column_name = 'orgSourcedIds' and m.line = k.line)
    insert into staged_left_out (file, line, kind, person_source_id, is_row, counts, is_known)
    select 'users.csv', line, 'role', source_id, false, false, true from kept;
end $$;

-- import_list_without (internal): a value that is a list, without these elements; null if none is left.
create or replace function import_list_without(p_text text, p_ids text[]) returns text
    language sql immutable parallel safe
    return nullif(array_to_string(array(
        select id from unnest(import_list(p_text)) as l (id) where id <> all (p_ids)), ','), '');

-- leave_out_template_values (internal): the same for rows of Apple's templates.
create or replace function leave_out_template_values() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    people record;
begin
    for people in select * from import_places() as p where p.file in ('students.csv', 'staff.csv') loop
        execute format(
            'with kept as (
                 update pg_temp.%1$I as s set location_source_ids = import_array_without(s.location_source_ids, m.ids)
                   from (select line, array_agg(value) as ids from staged_mistake
                          where file = %2$L and column_name like ''location_id%%'' group by line) as m
                  where m.line = s.line
                    and exists (select from unnest(s.location_source_ids) as u (id)
                                 where id <> all (m.ids) and id <> '''')
                 returning s.line, s.source_id),
             settled as (
                 update staged_mistake as m set is_settled = true from kept as k
                  where m.file = %2$L and m.column_name like ''location_id%%'' and m.line = k.line)
             insert into staged_left_out (file, line, kind, person_source_id, is_row, counts, is_known)
             select %2$L, line, ''role'', source_id, false, false, true from kept',
            people.staging, people.file);
    end loop;

    update staged_class as c set course_source_id = null, flaw = 'part' from staged_mistake as m
     where m.file = 'classes.csv' and m.column_name = 'course_id' and m.line = c.line;
    with kept as (
        update staged_class as c
           set instructor_source_ids = import_array_without(c.instructor_source_ids, m.ids), flaw = 'part'
          from (select line, array_agg(value) as ids from staged_mistake
                 where file = 'classes.csv' and column_name like 'instructor_id%' group by line) as m
         where m.line = c.line
        returning c.line, c.source_id)
    insert into staged_left_out (file, line, kind, class_source_id, is_row, counts, is_known)
    select 'classes.csv', line, 'teaching', source_id, false, false, true from kept;
    update staged_seat as s set source_id = null from staged_mistake as m
     where m.file = 'rosters.csv' and m.code = 'duplicate_id' and m.line = s.line;
    update staged_mistake as m set is_settled = true
     where (m.file = 'classes.csv' and (m.column_name = 'course_id' or m.column_name like 'instructor_id%'))
        or (m.file = 'rosters.csv' and m.code = 'duplicate_id');
end $$;

-- import_array_without (internal): an array whose elements stand for columns, with these emptied.
create or replace function import_array_without(p_values text[], p_ids text[]) returns text[]
    language sql immutable parallel safe
    return array(select case when id = any (p_ids) then '' else id end
                   from unnest(p_values) with ordinality as u (id, n) order by n);

-- leave_out_mistaken_rows (internal): takes out the rows whose mistakes are not settled. A row that only refers to a
-- row that was left out is not counted again. A row does not say which person it is about if another row with the same
-- id has another name, or if it gives a role to a person who is not in the archive.
create or replace function leave_out_mistaken_rows() returns void
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
declare
    place record;
begin
    for place in
        select p.*, case p.kind when 'person' then 'k.given_name = t.given_name and k.family_name = t.family_name'
                                when 'class' then 'false' else 'true' end as same
          from import_places() as p
         where p.file in (select m.file from staged_mistake as m where not m.is_settled)
    loop
        execute format(
            'with mistaken as (
                 select line, bool_or(code <> ''unknown_reference'' or known_line is null) as counts,
                        min(known_line) filter (where code = ''duplicate_id'') as other,
                        bool_or(code = ''duplicate_id'') as is_repeated,
                        bool_or(%3$L = ''role'' and column_name = ''userSourcedId'' and known_line is null) as is_lost
                   from staged_mistake where file = %2$L and not is_settled group by line),
             gone as (
                 delete from pg_temp.%1$I as t using mistaken as m where t.line = m.line
                 returning t.*, m.counts,
                           not m.is_lost and (not m.is_repeated or exists (
                               select from pg_temp.%1$I as k where k.line = m.other and %7$s)) as is_known)
             insert into staged_left_out (file, line, kind, source_id, class_source_id, person_source_id, is_row,
                                          counts, is_known)
             select %2$L, line, %3$L, %4$s, %5$s, %6$s, true, counts, is_known from gone',
            place.staging, place.file, place.kind, place.source, place.class, place.person, place.same);
    end loop;
end $$;

grant execute on function settle_import_mistakes(boolean, text[]), pass_over_mistakes(boolean), import_target(text),
    import_knows(text, text), join_repetitions(), leave_out_oneroster_values(), import_list_without(text, text[]),
    leave_out_template_values(), import_array_without(text[], text[]), leave_out_mistaken_rows()
    to school_directory_manager;
