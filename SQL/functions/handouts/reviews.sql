-- Functions of reviews: what a teacher has not looked at yet, and giving the work of several students back at once.

-- unreviewed: the tasks of handouts that students have done, that no teacher gave back since, and that the caller has
-- not looked at since. Row-level security leaves only what the caller may see.
create or replace function unreviewed(p_handout_ids uuid[])
    returns table (handout_id uuid, task_id uuid, person_id uuid, done_at timestamptz)
    language sql stable
begin atomic
        select t.handout_id, t.task_id, g.person_id, g.done_at
          from school.task as t
          join school.assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
          left join school.review as r
            on r.organization_id = t.organization_id and r.teacher_id = (select school.my_person())
           and r.handout_id = t.handout_id and r.person_id = g.person_id
         where t.organization_id = (select school.my_organization()) and t.handout_id = any (p_handout_ids)
           and g.done_at is not null and (g.returned_at is null or g.returned_at < g.done_at)
           and (r.reviewed_at is null or r.reviewed_at < g.done_at);
end;
grant execute on function unreviewed(uuid[]) to school_teacher;

-- mark_reviewed: notes that the caller has looked at what students did of a handout until a moment, and answers of how
-- many. p_person_ids: null is all of them.
create or replace function mark_reviewed(p_handout_id uuid, p_person_ids uuid[], p_until timestamptz)
    returns integer
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    until_at constant timestamptz(3) := least(coalesce(p_until, moment()), moment());
    students integer;
begin
    insert into review as r (organization_id, handout_id, person_id, teacher_id, reviewed_at)
    select my_organization(), u.handout_id, u.person_id, my_person(), until_at
      from unreviewed(array[p_handout_id]) as u
     where u.done_at <= until_at and (p_person_ids is null or u.person_id = any (p_person_ids))
       and (u.handout_id, u.person_id) in (
               select s.handout_id, s.person_id from handout_seats(array[p_handout_id]) as s)
     group by u.handout_id, u.person_id
        on conflict on constraint review_pkey
        do update set earlier_at = r.reviewed_at, reviewed_at = excluded.reviewed_at
             where r.reviewed_at < excluded.reviewed_at;
    get diagnostics students = row_count;
    return students;
end $$;

-- take_reviews_back: undoes the caller's last marking of a handout, and answers of how many students.
create or replace function take_reviews_back(p_handout_id uuid) returns integer
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    last_at  constant timestamptz := (
        select max(r.reviewed_at) from review as r
         where r.organization_id = my_organization() and r.teacher_id = my_person()
           and r.handout_id = p_handout_id);
    students integer;
    removed  integer;
begin
    update review as r set reviewed_at = r.earlier_at, earlier_at = null
     where r.organization_id = my_organization() and r.teacher_id = my_person()
       and r.handout_id = p_handout_id and r.reviewed_at = last_at and r.earlier_at is not null;
    get diagnostics students = row_count;
    delete from review as r
     where r.organization_id = my_organization() and r.teacher_id = my_person()
       and r.handout_id = p_handout_id and r.reviewed_at = last_at;
    get diagnostics removed = row_count;
    return students + removed;
end $$;

-- return_work: returns with a note what students did of a handout until a moment and what nobody returned since, as
-- return_assignment() does with one task, and answers of how many students. p_task_ids: null is every task.
create or replace function return_work(p_handout_id uuid, p_task_ids uuid[], p_person_ids uuid[], p_note text,
                                       p_is_to_try_again boolean, p_until timestamptz) returns integer
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    until_at constant timestamptz(3) := least(coalesce(p_until, moment()), moment());
begin
    return (
        select count(distinct w.person_id) filter (where w.is_returned)
          from (select g.person_id,
                       return_assignment(p_handout_id, g.task_id, g.person_id, p_note, p_is_to_try_again) as is_returned
                  from task as t
                  join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
                 where t.organization_id = my_organization() and t.handout_id = p_handout_id
                   and (p_task_ids is null or t.task_id = any (p_task_ids))
                   and g.person_id = any (p_person_ids) and g.done_at <= until_at
                   and (g.returned_at is null or g.returned_at < g.done_at)) as w);
end $$;
grant execute on function mark_reviewed(uuid, uuid[], timestamptz), take_reviews_back(uuid),
    return_work(uuid, uuid[], uuid[], text, boolean, timestamptz) to school_teacher;
