-- Functions of handouts: those given to the caller as a chosen student, deleting one, and marking done on behalf of
-- an app.

-- my_chosen_handout_ids: handouts for which the caller was chosen, in any state. Definer, because the policies of
-- handout_recipient refer back to handout.
create or replace function my_chosen_handout_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select handout_id from handout_recipient
         where organization_id = my_organization() and person_id = my_person());
end $$;
grant execute on function my_chosen_handout_ids() to school_student;

-- may_assign_context: whether the caller may name a native context of this person in a task: the caller's own, or one
-- shown by a handout that the caller sees as a teacher. Definer, because the policies of context refer back to task;
-- otherwise, naming a person would reveal that person's contexts.
create or replace function may_assign_context(p_owner_id uuid, p_bundle_id text, p_environment text,
                                              p_path text[]) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return p_owner_id = my_person() or exists (
        select from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
         where t.organization_id = my_organization() and t.context_owner_id = p_owner_id
           and t.bundle_id = p_bundle_id and t.identifier_path = p_path
           and t.class_id = any ((select my_taught_class_ids())::uuid[])
           and h.environment = p_environment and h.deleted_at is null
           and (h.publish_at is not null or h.author_id = my_person()));
end $$;
grant execute on function may_assign_context(uuid, text, text, text[]) to school_teacher;

-- hold_handout (internal): a handout that the caller may change, locked until the end of the transaction; nulls if
-- the caller does not see it, or it is a colleague's draft.
create or replace function hold_handout(p_organization_id uuid, p_handout_id uuid) returns handout
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    held handout;
begin
    select * into held from handout
     where organization_id = p_organization_id and handout_id = p_handout_id and deleted_at is null
       and environment = my_environment() and class_id = any ((select my_taught_class_ids())::uuid[])
       and (publish_at is not null or author_id = my_person())
       for update;
    return held;
end $$;

-- delete_handout: hides a handout for good. False if the caller does not see it; p_version null: any version.
create or replace function delete_handout(p_handout_id uuid, p_version bigint) returns boolean
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update handout set deleted_at = moment()
     where organization_id = my_organization() and handout_id = p_handout_id
       and environment = my_environment() and class_id = any ((select my_taught_class_ids())::uuid[])
       and (publish_at is not null or author_id = my_person())
       and deleted_at is null and version = coalesce(p_version, version);
    if not found then
        return false;
    end if;
    insert into deletion (organization_id, deletion_id, kind, subject_id)
    values (my_organization(), new_id(), 'handout', p_handout_id);
    return true;
end $$;
grant execute on function delete_handout(uuid, bigint) to school_teacher;

-- complete_assignments (internal): marks done what a person had open for exactly this context of an app when the app
-- reported it.
create or replace function complete_assignments(p_organization_id uuid, p_person_id uuid, p_bundle_id text,
                                                p_environment text, p_arrived_at timestamptz, p_path jsonb)
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into assignment as a (organization_id, task_id, person_id, done_at)
    select distinct p_organization_id, o.task_id, p_person_id, p_arrived_at
      from assigned_tasks(p_organization_id, p_person_id, p_bundle_id, p_environment, jsonb_build_array(p_path)) as o
      join person as p on p.organization_id = p_organization_id and p.person_id = p_person_id
                      and p.deactivated_at is null
     where o.opens_at <= p_arrived_at and o.closes_at > p_arrived_at
    on conflict on constraint assignment_pkey do update set done_at = excluded.done_at
     where a.done_at is null;
end $$;

create or replace trigger bump_version before update on handout
    for each row execute function bump_version();
create or replace trigger bump_version before update on assignment
    for each row execute function bump_version();
create or replace trigger touch before update on task
    for each row execute function touch();
create or replace trigger bump_handout_of_new_task after insert on task
    referencing new table as changed for each statement execute function bump_parent('handout', 'handout_id');
create or replace trigger bump_handout_of_changed_task after update on task
    referencing new table as changed for each statement execute function bump_parent('handout', 'handout_id');
create or replace trigger bump_handout_of_old_task after delete on task
    referencing old table as changed for each statement execute function bump_parent('handout', 'handout_id');
create or replace trigger bump_handout_of_new_recipient after insert on handout_recipient
    referencing new table as changed for each statement execute function bump_parent('handout', 'handout_id');
create or replace trigger bump_handout_of_old_recipient after delete on handout_recipient
    referencing old table as changed for each statement execute function bump_parent('handout', 'handout_id');
