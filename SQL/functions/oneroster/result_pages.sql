-- Functions of OneRoster's gradebook: which results a page of all of them has, so that a page costs what it shows.
--
-- Results come from three places, and each has them in the order of their sourcedIds: the caller's own grades by the ids
-- that it gave them, others' grades by ours, and what came of handouts by task and student. A page takes as many as it
-- needs from each, and the rest of a row is looked up for those on the page alone, under the caller's rights.

-- own_grade_page: the caller's own grades after a sourcedId, in classes whose gradebook it may use. Definer, because a
-- comparison of texts is not leakproof: under row-level security PostgreSQL would read all of the caller's grades.
create or replace function own_grade_page(p_after text, p_limit integer)
    returns table (sourced_id text, grade_id uuid)
    language plpgsql stable security definer rows 100
    set search_path = school, pg_temp as $$
declare
    granted constant uuid[] := my_gradebook_class_ids(false);
begin
    return query
    select oneroster_id(g.source_id, g.grade_id), g.grade_id from grade as g
     where g.organization_id = my_organization() and g.service_account_id = my_service_account()
       and g.deleted_at is null and g.class_id = any (granted)
       and oneroster_id(g.source_id, g.grade_id) collate "C" > p_after
     order by oneroster_id(g.source_id, g.grade_id) collate "C" limit p_limit;
end $$;

-- oneroster_result_page: up to p_limit results of oneroster_results() that are not removed, in the order of their
-- sourcedIds, after the one with the sourcedId p_after and without the first p_skip: the id of a grade, or task and
-- student. With the caller's rights: tasks, attempts and others' grades are those that its policies show.
create or replace function oneroster_result_page(p_after text, p_skip integer, p_limit integer)
    returns table (place bigint, id uuid, task_id uuid, person_id uuid)
    language plpgsql stable rows 100
    set search_path = school, pg_temp set jit = off as $$
#variable_conflict use_column
declare
    own    constant uuid := my_organization();
    most   constant integer := p_skip + p_limit;
    -- Whatever comes after the sourcedId begins with this id or a higher one.
    lowest constant uuid := case when p_after ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' then left(p_after, 36)
                                 else '00000000-0000-0000-0000-000000000000' end;
    grades uuid[] := '{}';
    tasks  uuid[] := '{}';
    people uuid[] := '{}';
    found  uuid[];
    task   uuid;
begin
    -- Our ids begin with hexadecimal digits.
    if p_after collate "C" < 'g' then
        grades := array(
            select g.grade_id from grade as g
             where g.organization_id = own and g.service_account_id is distinct from my_service_account()
               and g.deleted_at is null and g.grade_id >= lowest and g.grade_id::text collate "C" > p_after
             order by g.grade_id limit most);
        for task in
            select t.task_id from task as t where t.organization_id = own and t.task_id >= lowest order by t.task_id
        loop
            exit when cardinality(tasks) >= most;
            found := array(
                select w.person_id
                  from (select a.person_id from assignment as a where a.organization_id = own and a.task_id = task
                        union
                        select f.person_id from assignment_figures as f
                         where f.organization_id = own and f.task_id = task) as w
                 where (task || '_' || w.person_id) collate "C" > p_after
                 order by w.person_id);
            tasks := tasks || array_fill(task, array[cardinality(found)]);
            people := people || found;
        end loop;
    end if;
    return query
    select row_number() over (), k.id, k.task_id, k.person_id
      from (select u.* from (
                select o.sourced_id, o.grade_id as id, null::uuid as task_id, null::uuid as person_id
                  from own_grade_page(p_after, most) as o
                union all
                select g::text, g, null, null from unnest(grades) as g
                union all
                select w.task_id || '_' || w.person_id, null, w.task_id, w.person_id
                  from unnest(tasks, people) as w (task_id, person_id)) as u
             order by u.sourced_id collate "C" limit p_limit offset p_skip) as k;
end $$;

-- oneroster_result_count: how many results those are, counted by their keys as well.
create or replace function oneroster_result_count() returns bigint
    language plpgsql stable
    set search_path = school, pg_temp set jit = off as $$
declare
    own constant uuid := my_organization();
begin
    return (select count(*) from grade as g where g.organization_id = own and g.deleted_at is null)
         + (select count(*) from assignment as a where a.organization_id = own)
         + (select count(*) from assignment_figures as f
             where f.organization_id = own and not exists (
                   select from assignment as a
                    where a.organization_id = own and a.task_id = f.task_id and a.person_id = f.person_id));
end $$;
grant execute on function own_grade_page(text, integer), oneroster_result_page(text, integer, integer),
    oneroster_result_count() to school_roster_reader;
