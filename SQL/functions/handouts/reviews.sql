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
           and r.task_id = t.task_id and r.person_id = g.person_id and r.done_at = g.done_at
         where t.organization_id = (select school.my_organization()) and t.handout_id = any (p_handout_ids)
           and g.done_at is not null and (g.returned_at is null or g.returned_at < g.done_at)
           and r.task_id is null;
end;

-- work_to_review: the same of students who have the handouts now, as far as it was done until a moment, with a digest
-- of it for each handout: two that are equal show the same work. A moment alone does not say what was shown, since what
-- was done earlier may be committed later.
create or replace function work_to_review(p_handout_ids uuid[], p_until timestamptz)
    returns table (handout_id uuid, digest text)
    language sql stable
begin atomic
        select u.handout_id,
               md5(string_agg(concat_ws(' ', u.task_id, u.person_id, extract(epoch from u.done_at)), ','
                              order by u.task_id, u.person_id))
          from school.unreviewed(p_handout_ids) as u
         where u.done_at <= p_until
           and (u.handout_id, u.person_id) in (
                   select s.handout_id, s.person_id from school.handout_seats(p_handout_ids) as s)
         group by u.handout_id;
end;

-- mark_reviewed: notes that the caller has looked at what students did of a handout until a moment, and answers of how
-- many. Null, instead of noting anything, where a digest is given and something else than it shows was done.
--
--   p_person_ids, p_until                                 null: of everybody, and until now
--   p_shown_task_ids, p_shown_person_ids, p_shown_done_at what the caller was shown; null: all of it
create or replace function mark_reviewed(p_handout_id uuid, p_person_ids uuid[], p_until timestamptz,
                                         p_shown_task_ids uuid[], p_shown_person_ids uuid[],
                                         p_shown_done_at timestamptz[], p_digest text) returns integer
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    until_at constant timestamptz := coalesce(p_until, 'infinity');
    students integer;
begin
    if p_digest <> coalesce(
           (select w.digest from work_to_review(array[p_handout_id], until_at) as w), '') then
        return null;
    end if;
    with marked as (
        insert into review as r (organization_id, task_id, person_id, teacher_id, done_at, reviewed_at)
        select my_organization(), u.task_id, u.person_id, my_person(), u.done_at, moment()
          from unreviewed(array[p_handout_id]) as u
         where u.done_at <= until_at and (p_person_ids is null or u.person_id = any (p_person_ids))
           and (p_shown_task_ids is null or (u.task_id, u.person_id, u.done_at) in (
                   select * from unnest(p_shown_task_ids, p_shown_person_ids, p_shown_done_at)))
           and (u.handout_id, u.person_id) in (
                   select s.handout_id, s.person_id from handout_seats(array[p_handout_id]) as s)
            on conflict on constraint review_pkey
            do update set done_at = excluded.done_at, reviewed_at = excluded.reviewed_at
        returning r.person_id)
    select count(distinct m.person_id) into students from marked as m;
    return students;
end $$;

-- take_reviews_back: undoes the caller's last marking of a handout, and answers of how many students.
create or replace function take_reviews_back(p_handout_id uuid) returns integer
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    tasks    constant uuid[] := array(
        select t.task_id from task as t
         where t.organization_id = my_organization() and t.handout_id = p_handout_id);
    last_at  constant timestamptz := (
        select max(r.reviewed_at) from review as r
         where r.organization_id = my_organization() and r.teacher_id = my_person() and r.task_id = any (tasks));
    students integer;
begin
    with taken as (
        delete from review as r
         where r.organization_id = my_organization() and r.teacher_id = my_person() and r.task_id = any (tasks)
           and r.reviewed_at = last_at
        returning r.person_id)
    select count(distinct t.person_id) into students from taken as t;
    return students;
end $$;

-- return_work: returns with a note what students did of a handout and what nobody returned since, as
-- return_done_work() does with one task, and answers of how many students. p_task_ids: null is every task; p_until and
-- what was shown as above.
create or replace function return_work(p_handout_id uuid, p_task_ids uuid[], p_person_ids uuid[], p_note text,
                                       p_is_to_try_again boolean, p_until timestamptz,
                                       p_shown_task_ids uuid[], p_shown_person_ids uuid[],
                                       p_shown_done_at timestamptz[]) returns integer
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    return (
        select count(distinct w.person_id) filter (where w.is_returned)
          from (select g.person_id,
                       return_done_work(p_handout_id, g.task_id, g.person_id, p_note, p_is_to_try_again, g.done_at)
                           as is_returned
                  from task as t
                  join assignment as g on g.organization_id = t.organization_id and g.task_id = t.task_id
                 where t.organization_id = my_organization() and t.handout_id = p_handout_id
                   and (p_task_ids is null or t.task_id = any (p_task_ids))
                   and g.person_id = any (p_person_ids) and g.done_at <= coalesce(p_until, 'infinity')
                   and (p_shown_task_ids is null or (g.task_id, g.person_id, g.done_at) in (
                           select * from unnest(p_shown_task_ids, p_shown_person_ids, p_shown_done_at)))
                   and (g.returned_at is null or g.returned_at < g.done_at)) as w);
end $$;
grant execute on function unreviewed(uuid[]), work_to_review(uuid[], timestamptz),
    mark_reviewed(uuid, uuid[], timestamptz, uuid[], uuid[], timestamptz[], text), take_reviews_back(uuid),
    return_work(uuid, uuid[], uuid[], text, boolean, timestamptz, uuid[], uuid[], timestamptz[]) to school_teacher;
