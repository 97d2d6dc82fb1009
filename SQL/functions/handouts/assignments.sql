-- Functions of assignments: what a teacher returns, what of it the student's app can still reach, and who teaches the
-- student.

-- return_done_work: returns a student's work with a note. Returning it to try again removes the mark done, and the
-- student has it to do once more. False if the caller does not teach such a handout, it is not published, the student
-- does not have it now, or has done it at another moment than the one that is given; null is any moment, and none.
create or replace function return_done_work(p_handout_id uuid, p_task_id uuid, p_person_id uuid, p_note text,
                                            p_is_to_try_again boolean, p_done_at timestamptz) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into assignment as a (organization_id, task_id, person_id, returned_at, return_note,
                                 is_to_try_again)
    select distinct t.organization_id, t.task_id, s.person_id, moment(), p_note, p_is_to_try_again
      from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join seat as s    on s.organization_id = t.organization_id and s.class_id = t.class_id
                       and s.role = 'student' and is_seated(s)
     where t.organization_id = my_organization() and t.handout_id = p_handout_id
       and t.task_id = p_task_id and s.person_id = p_person_id
       and t.class_id = any ((select my_taught_class_ids())::uuid[])
       and h.environment = my_environment() and h.publish_at <= moment() and h.deleted_at is null
       and (h.recipients = 'class' or exists (
               select from handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = s.person_id))
    on conflict on constraint assignment_pkey do update
       set returned_at = excluded.returned_at, return_note = excluded.return_note,
           is_to_try_again = excluded.is_to_try_again,
           done_at = case when excluded.is_to_try_again then null else a.done_at end
     where p_done_at is null or a.done_at = p_done_at;
    return found;
end $$;

-- return_assignment: the same whenever it was done, and if it was not.
create or replace function return_assignment(p_handout_id uuid, p_task_id uuid, p_person_id uuid,
                                             p_note text, p_is_to_try_again boolean) returns boolean
    language sql
    return school.return_done_work(p_handout_id, p_task_id, p_person_id, p_note, p_is_to_try_again, null);

-- take_return_back: undoes a return; a mark done that was removed stays removed. False if the work was not returned,
-- or the caller does not teach such a handout.
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
       and t.handout_id = p_handout_id and t.class_id = any ((select my_taught_class_ids())::uuid[])
       and h.environment = my_environment() and h.publish_at <= moment() and h.deleted_at is null;
    return found;
end $$;
grant execute on function return_assignment(uuid, uuid, uuid, text, boolean),
    return_done_work(uuid, uuid, uuid, text, boolean, timestamptz),
    take_return_back(uuid, uuid, uuid) to school_teacher;

-- contexts_of_my_tasks: for tasks that the caller has as a student, where their contexts lead, and whether these are
-- withdrawn. Definer, because no standing reads deleted contexts, and because with row-level security a search by
-- path cannot use its index (comparing arrays is not leakproof).
create or replace function contexts_of_my_tasks(p_task_ids uuid[])
    returns table (task_id uuid, universal_link_url text, minimum_bundle_version text,
                   is_withdrawn boolean, pictured_id uuid)
    language plpgsql stable security definer
    set search_path = school, pg_temp set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
declare
    classes constant uuid[] := my_class_ids();
begin
    return query
    select t.task_id, case when not x.is_deleted then x.universal_link_url end,
           case when not x.is_deleted then x.minimum_bundle_version end,
           coalesce(x.is_deleted, t.context_owner_id is not null) or t.withdrawn_at is not null,
           case when not x.is_deleted and x.is_pictured then x.context_id end
      from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      left join lateral (
           select n.universal_link_url, n.minimum_bundle_version, n.deleted_at is not null as is_deleted,
                  n.context_id, n.thumbnail_id is not null and (n.kind = 'native' or exists (
                      select from thumbnail as p
                       where p.organization_id = n.organization_id and p.environment = n.environment
                         and p.bundle_id = n.bundle_id and p.thumbnail_id = n.thumbnail_id)) as is_pictured
             from (select c.* from context as c
                    where t.context_owner_id is null and c.kind = 'catalog'
                      and c.organization_id = t.organization_id and c.bundle_id = t.bundle_id
                      and c.environment = h.environment and c.identifier_path = t.recorded_path
                   union all
                   select o.* from context as o
                    where o.person_id = t.context_owner_id and o.kind = 'native'
                      and o.organization_id = t.organization_id and o.bundle_id = t.bundle_id
                      and o.environment = h.environment and o.identifier_path = t.recorded_path) as n
            order by n.deleted_at is not null, n.locale
            limit 1) as x on true
     where t.organization_id = my_organization() and t.task_id = any (p_task_ids)
       and t.class_id = any (classes) and h.environment = my_environment()
       and h.publish_at <= moment() and h.deleted_at is null
       and (h.recipients = 'class' or exists (
               select from handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = my_person()));
end $$;
grant execute on function contexts_of_my_tasks(uuid[]) to school_student;

-- teachers_of_my_classes: the names of those who teach each class in which the caller sits now (an archived class:
-- taught when it was archived), and who therefore see what the caller does with its handouts. Definer, because
-- students read no other person: it returns nothing but the names. Those who cannot sign in do not count.
create or replace function teachers_of_my_classes() returns table (class_id uuid, teachers json)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    classes      constant uuid[] := my_class_ids();
begin
    return query
    select n.class_id,
           json_agg(json_build_object('givenName', n.given_name, 'familyName', n.family_name, 'nameOrder', n.name_order)
                    order by n.family_name collate "und-x-icu", n.given_name collate "und-x-icu", n.person_id)
      from (select distinct s.class_id, p.person_id, p.given_name, p.family_name, name_order_of(p) as name_order
              from seat as s
              join class as c  on c.organization_id = s.organization_id and c.class_id = s.class_id
              join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
             where s.organization_id = organization and s.class_id = any (classes) and s.role = 'teacher'
               and is_seated(s, coalesce(c.archived_at, moment())) and p.deactivated_at is null) as n
     group by n.class_id;
end $$;
grant execute on function teachers_of_my_classes() to school_student;
