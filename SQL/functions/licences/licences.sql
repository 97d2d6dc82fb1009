-- Functions of licences: how counts are kept, and what happens when people leave.
--
-- Transactions that change licences take locks in this order, so that they cannot deadlock: people, pools by app and
-- location, apps. No one waits for a person while holding a pool.

-- count_licences: updates the counts of a pool in the very statement that adds or removes licences, whatever the
-- statement. Overselling a pool violates pool_is_never_oversold.
create or replace function count_licences() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from pool as p
      join (select distinct organization_id, adam_id, location_id from changed) as c
     using (organization_id, adam_id, location_id)
     order by p.organization_id, p.adam_id, p.location_id
       for no key update of p;
    update pool as p
       set assigned_count = p.assigned_count + case tg_op when 'INSERT' then c.count else -c.count end
      from (select organization_id, adam_id, location_id, count(*)::integer as count
              from changed group by organization_id, adam_id, location_id) as c
     where p.organization_id = c.organization_id and p.adam_id = c.adam_id
       and p.location_id = c.location_id;
    return null;
end $$;

-- keep_counts: refuses any statement that would make counts and licences differ.
create or replace function keep_counts() returns trigger language plpgsql
    set search_path = school, pg_temp as $$
begin
    raise exception 'the count of assigned seats follows the licences and cannot be set'
        using errcode = 'integrity_constraint_violation', constraint = 'pool_counts_its_licences',
              table = tg_table_name, schema = tg_table_schema;
end $$;

-- check_holders: only active people hold licences. Does not wait for a concurrent change of the person: that one may
-- be waiting for a pool that is locked here.
create or replace function check_holders() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    -- Locks in a statement of its own: a condition in the same statement would be evaluated before the lock.
    perform from person as p
       join changed as c using (organization_id, person_id)
        for share of p nowait;
    if exists (select from person as p
                 join changed as c using (organization_id, person_id)
                where p.deactivated_at is not null) then
        raise exception 'only active people can hold licences'
            using errcode = 'check_violation', constraint = 'licence_holder_is_active',
                  table = tg_table_name, schema = tg_table_schema;
    end if;
    return null;
end $$;

-- bump_apps_of_pools: an app's counts are sums over its pools, so its version counts their changes.
create or replace function bump_apps_of_pools() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform from app as a
      join (select distinct organization_id, adam_id from changed) as c using (organization_id, adam_id)
     order by a.organization_id, a.adam_id
       for no key update of a;
    update app as a set updated_at = moment()
      from (select distinct organization_id, adam_id from changed) as c
     where a.organization_id = c.organization_id and a.adam_id = c.adam_id
       and a.xmin <> pg_current_xact_id()::xid;
    return null;
end $$;

-- reclaim_licences: takes licences back from people who are deactivated, in whatever way, unless the organization
-- turned that off. Books stay: they cannot be given back.
create or replace function reclaim_licences() returns trigger language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    reclaimed record;
begin
    if not exists (select from changed where deactivated_at is not null) then
        return null;
    end if;
    for reclaimed in
        with given_back as (
            delete from licence as l
             using changed as c
              join former as f on f.organization_id = c.organization_id and f.person_id = c.person_id
              join organization as o on o.organization_id = c.organization_id
             where c.deactivated_at is not null and f.deactivated_at is null
               and o.is_reclaiming_licences
               and l.organization_id = c.organization_id and l.person_id = c.person_id
               and exists (select from app as a
                            where a.organization_id = l.organization_id and a.adam_id = l.adam_id
                              and a.is_revocable)
            returning l.organization_id, l.adam_id, l.person_id)
        select organization_id, count(*) as count, array_agg(distinct adam_id) as adam_ids,
               case when count(distinct person_id) = 1 then (array_agg(person_id))[1]::text end as person_id
          from given_back group by organization_id
    loop
        perform write_audit_event(
            reclaimed.organization_id, 'licenceChange', coalesce(my_standing(), 'server'), my_person(),
            my_app(), null, case when reclaimed.person_id is not null then 'person' end,
            reclaimed.person_id,
            jsonb_build_object('reason', 'deactivation', 'returned', reclaimed.count,
                               'adamIds', to_jsonb(reclaimed.adam_ids)));
    end loop;
    return null;
end $$;

-- my_licensed_adam_ids: what the caller has a licence for. Definer, because a policy of licences reads the app.
create or replace function my_licensed_adam_ids() returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(select adam_id from licence
                  where organization_id = my_organization() and person_id = my_person());
end $$;
grant execute on function my_licensed_adam_ids() to school_person;

-- unlicensed_students: for each task of a handout, how many students who sit in the class now and are given it lack a
-- licence of its app. No row if all have one, the school did not buy such an app, or devices hold the licences, since
-- their users are unknown. Definer, because teachers cannot read licences; only for handouts of classes that the
-- caller teaches.
create or replace function unlicensed_students(p_handout_id uuid)
    returns table (task_id uuid, student_count integer)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select t.task_id, count(*)::integer
      from task as t
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
      join class as c   on c.organization_id = t.organization_id and c.class_id = t.class_id
      join seat as s    on s.organization_id = t.organization_id and s.class_id = t.class_id
                       and s.role = 'student' and is_seated(s)
     cross join lateral (
           select array_agg(a.adam_id) as adam_ids from app as a
            where a.organization_id = t.organization_id and a.bundle_id = t.bundle_id
              and a.product_type = 'App') as bought
     where t.organization_id = my_organization() and t.handout_id = p_handout_id
       and t.class_id = any ((select my_taught_class_ids())::uuid[]) and c.archived_at is null
       and (h.recipients = 'class' or exists (
               select from handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = s.person_id))
       and bought.adam_ids is not null
       and not exists (select from licence as l
                        where l.organization_id = t.organization_id
                          and l.device_adam_id = any (bought.adam_ids))
       and not exists (select from licence as l
                        where l.organization_id = t.organization_id and l.person_id = s.person_id
                          and l.adam_id = any (bought.adam_ids))
     group by t.task_id;
end $$;
grant execute on function unlicensed_students(uuid) to school_teacher;

-- waiting_students: for each app (or one), and each location of the classes, how many students hold no licence of it
-- and sit in a class in which an open handout of the caller's environment has a task in it; with a null location for
-- all locations, each student once. It never looks at what they did, so that those who give licences learn how many
-- are missing and nothing about progress, names or handouts.
--
-- The number does not depend on which students a handout chose. If it did, somebody could give a licence to one student
-- after the other and see from the number who was chosen. Where only chosen students of a class are given the app, all
-- of the class count, and none of a class of fewer than five.
--
-- No row where devices hold licences, as in unlicensed_students(). Definer, because those who give licences cannot
-- read handouts.
create or replace function waiting_students(p_adam_id text)
    returns table (adam_id text, location_id uuid, student_count integer)
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
    organization constant uuid := my_organization();
    world        constant text := my_environment();
    bundles      text[];
    open_bundles text[];
    open_classes uuid[];
    are_chosen   boolean[];
begin
    -- Each step is planned for what the one before it found: the students of a few classes are looked up, and those of a
    -- whole district are read at once.
    bundles := array(
        select distinct a.bundle_id from app as a
         where a.organization_id = organization and a.product_type = 'App'
           and (p_adam_id is null or a.adam_id = p_adam_id)
           and not exists (
                   select from app as o
                     join licence as l on l.organization_id = o.organization_id and l.device_adam_id = o.adam_id
                    where o.organization_id = a.organization_id and o.bundle_id = a.bundle_id));
    if bundles = '{}' then
        return;
    end if;
    -- Once for a class, however many handouts it has.
    select array_agg(g.bundle_id), array_agg(g.class_id), array_agg(g.is_for_chosen)
      into open_bundles, open_classes, are_chosen
      from (select t.bundle_id, t.class_id, bool_and(h.recipients = 'chosen') as is_for_chosen
              from task as t
              join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
             where t.organization_id = organization and t.bundle_id = any (bundles)
               and h.environment = world and h.publish_at <= moment() and h.locked_at is null
               and h.completed_at is null and h.archived_at is null and h.deleted_at is null
             group by t.bundle_id, t.class_id) as g;
    if open_classes is null then
        return;
    end if;
    return query
    with sitting as materialized (
        select g.bundle_id, c.location_id, s.person_id, g.is_for_chosen,
               count(*) over (partition by g.bundle_id, g.class_id) as size
          from unnest(open_bundles, open_classes, are_chosen) as g (bundle_id, class_id, is_for_chosen)
          join class as c  on c.organization_id = organization and c.class_id = g.class_id
          join seat as s   on s.organization_id = c.organization_id and s.class_id = c.class_id
                          and s.role = 'student' and is_seated(s)
          join person as p on p.organization_id = s.organization_id and p.person_id = s.person_id
         where c.archived_at is null and p.deactivated_at is null
    ), given as materialized (
        select distinct s.bundle_id, s.location_id, s.person_id from sitting as s
         where not s.is_for_chosen or s.size >= 5
    ), missing as materialized (
        select g.bundle_id, g.location_id, g.person_id from given as g
         where not exists (
                   select from licence as l
                     join app as a on a.organization_id = l.organization_id and a.adam_id = l.adam_id
                    where l.organization_id = organization and l.person_id = g.person_id
                      and a.bundle_id = g.bundle_id)
    )
    select a.adam_id, m.location_id, count(distinct m.person_id)::integer
      from app as a
      join missing as m on m.bundle_id = a.bundle_id
     where a.organization_id = organization and a.product_type = 'App'
       and (p_adam_id is null or a.adam_id = p_adam_id)
     group by grouping sets ((a.adam_id, m.location_id), (a.adam_id));
end $$;
grant execute on function waiting_students(text) to school_administrator, school_content_manager;

create or replace trigger bump_version before update on app
    for each row execute function bump_version();
create or replace trigger bump_version before update on pool
    for each row execute function bump_version();
create or replace trigger bump_app_of_new_pool after insert on pool
    referencing new table as changed for each statement execute function bump_apps_of_pools();
create or replace trigger bump_app_of_changed_pool after update on pool
    referencing new table as changed for each statement execute function bump_apps_of_pools();
create or replace trigger bump_app_of_old_pool after delete on pool
    referencing old table as changed for each statement execute function bump_apps_of_pools();

create or replace trigger keep_count_of_new_pool before insert on pool
    for each row when (new.assigned_count <> 0) execute function keep_counts();
create or replace trigger keep_count_of_pool before update on pool
    for each row when (new.assigned_count <> old.assigned_count and pg_trigger_depth() = 0)
    execute function keep_counts();
create or replace trigger keep_pool_of_licence before update on licence
    for each row when ((new.organization_id, new.adam_id, new.location_id)
                       is distinct from (old.organization_id, old.adam_id, old.location_id))
    execute function keep_counts();

create or replace trigger check_holders after insert on licence
    referencing new table as changed for each statement execute function check_holders();
create or replace trigger count_new_licences after insert on licence
    referencing new table as changed for each statement execute function count_licences();
create or replace trigger count_old_licences after delete on licence
    referencing old table as changed for each statement execute function count_licences();

create or replace trigger reclaim_licences after update on person
    referencing old table as former new table as changed for each statement
    execute function reclaim_licences();

-- assigned_native_apps: the bundles of apps whose native contexts a published handout assigns, in the caller's
-- environment: an app without a catalog works with handouts, too. It tells no more than that there is such a handout.
-- Definer, because those who give licences cannot read handouts.
create or replace function assigned_native_apps() returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select distinct t.bundle_id
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
         where t.organization_id = my_organization() and t.context_owner_id is not null
           and h.environment = my_environment() and h.publish_at <= moment() and h.deleted_at is null);
end $$;
grant execute on function assigned_native_apps() to school_administrator, school_content_manager;
