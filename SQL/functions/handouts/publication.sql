-- Functions of publication: taking one back until the first sign of a student.

-- is_begun (internal): whether a student has opened a handout, worked on it or marked it as done, or somebody has
-- written about it or given a mark. Only what its teachers see counts: work that an app has reported and nobody has
-- looked at yet must not show, and is then dropped; a draft of a mark is its author's alone, and stays.
create or replace function is_begun(p_organization_id uuid, p_handout_id uuid) returns boolean
    language sql stable
    set search_path = school, pg_temp
begin atomic
    select exists (
        select from comment as c
         where c.organization_id = p_organization_id and c.handout_id = p_handout_id)
        or exists (
        select from mark as m
         where m.organization_id = p_organization_id and m.handout_id = p_handout_id)
        or exists (
        select from task as t
         where t.organization_id = p_organization_id and t.handout_id = p_handout_id
           and (exists (select from assignment as a
                         where a.organization_id = t.organization_id and a.task_id = t.task_id)
                or exists (select from activity_assignment as l
                            where l.organization_id = t.organization_id and l.task_id = t.task_id)
                or exists (select from assignment_figures as f
                            where f.organization_id = t.organization_id and f.task_id = t.task_id)));
end;

-- keep_publication: a published handout becomes a draft again only by its author, as a draft is the author's alone, and
-- only until a student has begun it. It is then no longer locked, and receivers of exports remove it. Definer, because a
-- teacher cannot write deletions.
--
-- The tasks are locked before the look at what students did. A student who is opening one either commits first, or has
-- to try again (find_publication).
create or replace function keep_publication() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    if old.author_id is distinct from my_person() then
        raise exception 'only its author takes a handout back'
            using errcode = '42501';
    end if;
    perform from task where organization_id = old.organization_id and handout_id = old.handout_id
      order by task_id for update;
    if is_begun(old.organization_id, old.handout_id) then
        raise exception 'a student has begun the handout'
            using errcode = '23514', schema = 'school', table = 'handout',
                  constraint = 'handout_taken_back_is_not_begun';
    end if;
    new.locked_at := null;
    new.taken_back_at := moment();
    if new.environment = 'production' then
        insert into deletion (organization_id, deletion_id, kind, subject_id)
        values (new.organization_id, new_id(), 'handout', new.handout_id);
    end if;
    return new;
end $$;

create or replace trigger keep_publication before update on handout
    for each row when (old.publish_at <= moment() and old.deleted_at is null
                       and (new.publish_at is null or new.publish_at > moment()) and my_standing() = 'teacher')
    execute function keep_publication();

-- find_publication: what waited while the handout was taken back begins nothing, whether a student sent it or an app. Who
-- sent it tries again, and finds no assignment then: 40001 says so.
create or replace function find_publication() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    -- A subquery for each task is an index look-up for each; a join would be planned without knowing how few there are.
    if exists (
           select from (select distinct m.organization_id, m.task_id from made as m) as m
            where not coalesce((select h.publish_at <= moment()
                                  from task as t
                                  join handout as h on h.organization_id = t.organization_id
                                                   and h.handout_id = t.handout_id
                                 where t.organization_id = m.organization_id and t.task_id = m.task_id), false)) then
        raise exception 'the handout was taken back' using errcode = '40001';
    end if;
    return null;
end $$;

create or replace trigger find_publication after insert on assignment
    referencing new table as made for each statement execute function find_publication();
create or replace trigger find_publication after insert on activity_assignment
    referencing new table as made for each statement execute function find_publication();
