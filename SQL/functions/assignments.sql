-- Functions of assignments: what a teacher gives back, and what of it the student's app can still reach.

set local role school_owner;
set local search_path = school, pg_temp;

-- return_assignment: gives a student's work back with a note; to try again takes the mark done away, and
-- the student has it to do once more. False: the caller teaches no such handout, it is not published, or
-- the student does not have it now.
create or replace function return_assignment(p_handout_id uuid, p_task_id uuid, p_person_id uuid,
                                             p_note text, p_is_to_try_again boolean) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into assignment as a (organization_id, task_id, person_id, returned_at, return_note,
                                 is_to_try_again)
    select distinct t.organization_id, t.task_id, s.person_id, moment(), p_note, p_is_to_try_again
      from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join seat as s    on s.organization_id = t.organization_id and s.class_id = t.class_id
                       and s.role = 'student' and s.joined_at <= now()
                       and (s.left_at is null or s.left_at > now())
     where t.organization_id = my_organization() and t.handout_id = p_handout_id
       and t.task_id = p_task_id and s.person_id = p_person_id
       and t.class_id = any (my_taught_class_ids())
       and h.environment = my_environment() and h.publish_at <= now() and h.deleted_at is null
       and (h.recipients = 'class' or exists (
               select from handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = s.person_id))
    on conflict on constraint assignment_pkey do update
       set returned_at = excluded.returned_at, return_note = excluded.return_note,
           is_to_try_again = excluded.is_to_try_again,
           done_at = case when excluded.is_to_try_again then null else a.done_at end;
    return found;
end $$;

-- take_return_back: as if it had not been given back; a mark done that was taken away stays away. False: it
-- was not given back, or the caller teaches no such handout.
create or replace function take_return_back(p_handout_id uuid, p_task_id uuid, p_person_id uuid)
    returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update assignment as a set returned_at = null, return_note = null, is_to_try_again = false
      from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
     where a.organization_id = my_organization() and a.task_id = p_task_id
       and a.person_id = p_person_id and a.returned_at is not null
       and t.organization_id = a.organization_id and t.task_id = a.task_id
       and t.handout_id = p_handout_id and t.class_id = any (my_taught_class_ids())
       and h.environment = my_environment() and h.publish_at <= now() and h.deleted_at is null;
    return found;
end $$;
grant execute on function return_assignment(uuid, uuid, uuid, text, boolean),
    take_return_back(uuid, uuid, uuid) to school_teacher;

-- my_withdrawn_tasks: which of these tasks of the caller's classes name a context that is withdrawn. Definer,
-- because nobody else reads deleted contexts.
create or replace function my_withdrawn_tasks(p_task_ids uuid[]) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select t.task_id
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
         cross join lateral (
               select coalesce(bool_and(n.deleted_at is not null), t.context_owner_id is not null)
                          or t.withdrawn_at is not null as is_withdrawn
                 from context as n
                where n.organization_id = t.organization_id and n.bundle_id = t.bundle_id
                  and n.environment = h.environment and n.identifier_path = t.recorded_path
                  and n.person_id is not distinct from t.context_owner_id) as x
         where t.organization_id = my_organization() and t.task_id = any (p_task_ids)
           and t.recorded_path is not null and t.class_id = any (my_class_ids()) and x.is_withdrawn);
end $$;
grant execute on function my_withdrawn_tasks(uuid[]) to school_student;
