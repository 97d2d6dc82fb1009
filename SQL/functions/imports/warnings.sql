-- Functions of imports: what is skipped, or odd, without stopping the import.

-- import_warnings: once the plan is made, rows as those of import_mistakes:
--
--   higher_role        a person whom the archive would change or leaves out holds a role that the orderer
--                      may not give, and is not changed
--   guarded_email      with the email the orderer could become the person, so that it stays as it is
--   role_conflict      a person has a seat in a role that he or she does not hold in the list of users
--   unknown_reference  a parent or other agent of a user is not in the list of users; agents are not kept, so that
--                      nothing depends on it
create or replace function import_warnings()
    returns table (file text, line integer, column_name text, code text, value text,
                   known_file text, known_line integer)
    language plpgsql
    set search_path = school, pg_temp set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
begin
    return query
    with place as (
        select s.file, s.kind, case s.file when 'users.csv' then 'sourcedId' else 'person_id' end as id_column
          from staged_scope as s where s.kind in ('student', 'staff'))
    select f.file, p.line, f.id_column, 'higher_role', p.source_id, null, null::integer
      from planned_person as p join place as f on f.kind = p.kind
     where p.is_spared
    union all
    select f.file, null::integer, f.id_column, 'higher_role', p.source_id, null, null::integer
      from import_people_left_out() as p
      join place as f on f.kind = case when exists (
               select from person_role as r
                where r.organization_id = p.organization_id and r.person_id = p.person_id
                  and r.role = 'student') then 'student' else 'staff' end
     where p.person_id in (select spared_person_ids());

    return query
    select s.file, p.line, case s.file when 'users.csv' then 'email' else 'email_address' end, 'guarded_email',
           p.source_id, null, null::integer
      from planned_person as p join staged_scope as s on s.kind = p.kind
     where p.keeps_email;

    return query
    select 'users.csv', u.line, 'agentSourcedIds', 'unknown_reference', l.id, 'users.csv', null::integer
      from given_user as u, unnest(import_list(u.agent_source_ids)) as l (id)
     where is_given(u.status) and l.id <> '' and import_is_whole('student')
       and not exists (select from given_user as t where t.source_id = l.id and is_given(t.status));
    return query select * from oneroster_role_conflicts();
end $$;

grant execute on function import_warnings(), import_people_left_out() to school_directory_manager;
