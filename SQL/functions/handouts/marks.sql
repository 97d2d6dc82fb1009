-- Functions of marks: writing a draft, and giving drafts to students.

-- takes_marks: whether the student has a handout that is published, in a class that is not archived, and the task is
-- one of it; null is the handout as a whole. Row-level security leaves only what the caller may see.
create or replace function takes_marks(p_handout_id uuid, p_task_id uuid, p_person_id uuid) returns boolean
    language sql stable
begin atomic
    select school.takes_comments(p_handout_id, p_person_id)
       and (p_task_id is null or exists (
               select from school.task as t
                where t.organization_id = (select school.my_organization()) and t.task_id = p_task_id
                  and t.handout_id = p_handout_id));
end;

-- draft_mark: writes the caller's draft of a mark. False if the caller may not mark that.
--
--   p_replaces  the version of the mark that the caller was shown, 0 for none; null: the one that there is
create or replace function draft_mark(p_handout_id uuid, p_task_id uuid, p_person_id uuid,
                                      p_points double precision, p_replaces bigint) returns boolean
    language plpgsql
    set search_path = school, pg_temp as $$
begin
    if p_person_id = my_person() or not takes_marks(p_handout_id, p_task_id, p_person_id) then
        return false;
    end if;
    insert into mark_draft (organization_id, mark_draft_id, handout_id, task_id, person_id, author_id, points, replaces)
    values (my_organization(), new_id(), p_handout_id, p_task_id, p_person_id, my_person(), round(p_points::numeric, 2),
            coalesce(p_replaces, (select m.version from mark as m
                                   where m.organization_id = my_organization() and m.handout_id = p_handout_id
                                     and m.person_id = p_person_id and m.task_id is not distinct from p_task_id
                                     and m.points is not null), 0))
    on conflict on constraint mark_draft_is_one_for_each_author
    do update set points = excluded.points, replaces = excluded.replaces;
    return true;
end $$;

-- give_mark: gives the caller's draft to the student, in place of the mark that the student has. Answers what became
-- of it, and leaves the draft unless it was given:
--
--   given     the student has it
--   absent    the caller may not mark that
--   missing   the caller has no draft
--   unfit     there are no points for it any more, or fewer
--   changed   another mark was given, or one taken away, since the caller was shown what there was
create or replace function give_mark(p_handout_id uuid, p_task_id uuid, p_person_id uuid) returns text
    language plpgsql
    set search_path = school, pg_temp as $$
declare
    draft   mark_draft;
    maximum numeric;
begin
    if p_person_id = my_person() or not takes_marks(p_handout_id, p_task_id, p_person_id) then
        return 'absent';
    end if;
    select * into draft from mark_draft as d
     where d.organization_id = my_organization() and d.author_id = my_person() and d.handout_id = p_handout_id
       and d.person_id = p_person_id and d.task_id is not distinct from p_task_id
       for update;
    if not found then
        return 'missing';
    end if;
    maximum := case when p_task_id is null
                    then (select h.maximum_points from handout as h
                           where h.organization_id = my_organization() and h.handout_id = p_handout_id)
                    else (select t.maximum_points from task as t
                           where t.organization_id = my_organization() and t.task_id = p_task_id) end;
    if maximum is null or draft.points > maximum then
        return 'unfit';
    end if;
    insert into mark as m (organization_id, mark_id, handout_id, task_id, person_id, author_id, points,
                           maximum_points, given_at)
    values (draft.organization_id, new_id(), draft.handout_id, draft.task_id, draft.person_id, draft.author_id,
            draft.points, maximum, moment())
    on conflict on constraint mark_is_one_for_each_student
    do update set author_id = excluded.author_id, points = excluded.points, maximum_points = excluded.maximum_points,
                  given_at = excluded.given_at
     where case when m.points is null then 0 else m.version end = draft.replaces;
    if not found then
        return 'changed';
    end if;
    delete from mark_draft as d
     where d.organization_id = draft.organization_id and d.mark_draft_id = draft.mark_draft_id;
    return 'given';
end $$;

-- give_marks: gives the caller's drafts for these students, and answers how many were given and how many stay drafts.
create or replace function give_marks(p_handout_id uuid, p_person_ids uuid[])
    returns table (given integer, kept integer)
    language sql
begin atomic
    select (count(*) filter (where g.outcome = 'given'))::integer,
           (count(*) filter (where g.outcome <> 'given'))::integer
      from (select school.give_mark(d.handout_id, d.task_id, d.person_id) as outcome
              from (select k.handout_id, k.task_id, k.person_id from school.mark_draft as k
                     where k.organization_id = (select school.my_organization())
                       and k.author_id = (select school.my_person()) and k.handout_id = p_handout_id
                       and k.person_id = any (p_person_ids)
                     order by k.person_id, k.task_id
                     offset 0) as d) as g;
end;
grant execute on function takes_marks(uuid, uuid, uuid), draft_mark(uuid, uuid, uuid, double precision, bigint),
    give_mark(uuid, uuid, uuid), give_marks(uuid, uuid[]) to school_teacher;

create or replace trigger bump_version before update on mark
    for each row execute function bump_version();
create or replace trigger bump_version before update on mark_draft
    for each row execute function bump_version();
