-- Functions of native contexts: what apps save on behalf of a person, look up and remove.
--
-- An app never learns whether a teacher or a student uses the device. What it saves is kept for that person, and no
-- rule here depends on a role. What it does see is what handouts assign to its person.

-- my_assigned_context_ids: the calling app's native contexts that handouts assign to its person as a student.
-- Definer, because an app cannot read handouts.
create or replace function my_assigned_context_ids() returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return array(
        select c.context_id
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join context as c
            on c.organization_id = t.organization_id and c.person_id = t.context_owner_id and c.kind = 'native'
           and c.environment = h.environment and c.bundle_id = t.bundle_id
           and c.identifier_path = t.recorded_path and c.deleted_at is null
         where t.organization_id = my_organization() and t.class_id = any ((select my_class_ids())::uuid[])
           and t.bundle_id = my_app() and t.context_owner_id is not null
           and h.environment = my_environment() and h.publish_at <= moment() and h.deleted_at is null
           and (h.recipients = 'class' or exists (
                   select from handout_recipient as r
                    where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                      and r.person_id = my_person())));
end $$;

-- native_context_is_given (internal): whether a handout assigns a native context or a descendant of it. A deleted
-- handout counts for as long as uploads for it may still arrive.
create or replace function native_context_is_given(p_organization_id uuid, p_owner_id uuid, p_environment text,
                                                   p_bundle_id text, p_path text[]) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return exists (
        select from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
         where t.organization_id = p_organization_id and t.context_owner_id = p_owner_id
           and t.bundle_id = p_bundle_id and t.recorded_path[1:cardinality(p_path)] = p_path
           and h.environment = p_environment
           and (h.deleted_at is null or h.deleted_at > moment() - interval '30 days'));
end $$;

-- save_app_context (internal): the app's own context exists from the first save on. Its title is the school's name
-- for the app, unless the catalog or the app provides one. It lives as long as anything below it.
create or replace function save_app_context() returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    app_title constant text := coalesce(app_name(my_app()), my_app());
begin
    insert into context (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale,
                         person_id, title, type, search_text, saved_at)
    select my_organization(), new_id(), 'native', my_environment(), my_app(), '{}', 'und', my_person(),
           app_title, 'app', search_text(app_title, '{}', null), moment()
     where not exists (
               select from context as c
                where c.organization_id = my_organization() and c.environment = my_environment()
                  and c.bundle_id = my_app() and c.identifier_path = '{}' and c.kind = 'catalog'
                  and c.deleted_at is null)
        or exists (
               select from context as c
                where c.organization_id = my_organization() and c.environment = my_environment()
                  and c.bundle_id = my_app() and c.identifier_path = '{}' and c.kind = 'native'
                  and c.person_id = my_person() and c.deleted_at is null)
        on conflict (organization_id, person_id, environment, bundle_id, identifier_path)
           where kind = 'native' and deleted_at is null
        do update set saved_at = excluded.saved_at;
end $$;

-- save_native_contexts: saves all contexts of a call for the app and its person. p_contexts is an array of objects
-- whose keys are columns. A parent may be saved later than its children. Beyond 2,000 children of a context, and
-- 5,000 contexts of the app in all (10,000 with those removed in the last thirty days), no new ones are saved;
-- existing ones can still change. Each save records its time
-- even if nothing changes: what no handout assigns is forgotten thirty days after the last save.
create or replace function save_native_contexts(p_contexts jsonb) returns void
    language plpgsql security definer
    set search_path = school, pg_temp set jit = off as $$
declare
    room bigint;
begin
    -- So that the count of contexts is right.
    perform lock_contexts(my_organization(), my_person());
    perform save_app_context();
    select greatest(least(5000 - count(*), 10000 - count(*) - (
               select count(*) from removed_context as r
                where r.organization_id = my_organization() and r.person_id = my_person()
                  and r.environment = my_environment() and r.bundle_id = my_app())), 0)
      into room from context as c
     where c.organization_id = my_organization() and c.person_id = my_person()
       and c.environment = my_environment() and c.bundle_id = my_app() and c.kind = 'native';

    insert into context
           (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale, person_id,
            title, type, custom_type_name, display_order, is_assignable, progress_reporting_capabilities,
            suggested_age, suggested_completion_time, summary, topic, universal_link_url, presentable_paths,
            search_text, saved_at)
    select my_organization(), new_id(), 'native', my_environment(), my_app(), p.identifier_path, 'und',
           my_person(), p.title, p.type, p.custom_type_name, p.display_order, p.is_assignable,
           p.progress_reporting_capabilities, p.suggested_age, p.suggested_completion_time, p.summary,
           p.topic, p.universal_link_url, p.presentable_paths, search_text(p.title, '{}', p.summary), moment()
      from (select n.*, k.is_known,
                   (select count(*) from context as c
                     where c.organization_id = my_organization() and c.person_id = my_person()
                       and c.environment = my_environment() and c.bundle_id = my_app()
                       and c.parent_path = n.identifier_path[1:cardinality(n.identifier_path) - 1]
                       and c.kind = 'native' and c.deleted_at is null)
                   + row_number() over (
                       partition by k.is_known, n.identifier_path[1:cardinality(n.identifier_path) - 1]
                       order by n.identifier_path) as place,
                   row_number() over (partition by k.is_known order by n.identifier_path) as nth
              from jsonb_to_recordset(p_contexts) as n (
                   identifier_path text[], title text, type text, custom_type_name text,
                   display_order double precision, is_assignable boolean,
                   progress_reporting_capabilities jsonb, suggested_age integer[],
                   suggested_completion_time integer[], summary text, topic text, universal_link_url text,
                   presentable_paths jsonb)
             cross join lateral (
                   select exists (
                       select from context as c
                        where c.organization_id = my_organization() and c.person_id = my_person()
                          and c.environment = my_environment() and c.bundle_id = my_app()
                          and c.identifier_path = n.identifier_path
                          and c.kind = 'native' and c.deleted_at is null) as is_known) as k) as p
     where p.is_known or p.place <= 2000 and p.nth <= room
        on conflict (organization_id, person_id, environment, bundle_id, identifier_path)
           where kind = 'native' and deleted_at is null
        do update
       set title = excluded.title, type = excluded.type, custom_type_name = excluded.custom_type_name,
           display_order = excluded.display_order, is_assignable = excluded.is_assignable,
           progress_reporting_capabilities = excluded.progress_reporting_capabilities,
           suggested_age = excluded.suggested_age,
           suggested_completion_time = excluded.suggested_completion_time, summary = excluded.summary,
           topic = excluded.topic, universal_link_url = excluded.universal_link_url,
           presentable_paths = excluded.presentable_paths, search_text = excluded.search_text,
           saved_at = excluded.saved_at;
end $$;

-- remove_native_contexts: removes what the app saved for the person at a path, with all descendants. Handouts that
-- assign them keep them with their last title. For each path only the context removed last is kept, so that saving
-- and removing all day leaves no more rows than there are paths.
create or replace function remove_native_contexts(p_path text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform lock_contexts(my_organization(), my_person());
    delete from context as c
     where c.organization_id = my_organization() and c.person_id = my_person()
       and c.environment = my_environment() and c.bundle_id = my_app()
       and c.identifier_path[1:cardinality(p_path)] = p_path and c.kind = 'native'
       and (not native_context_is_given(c.organization_id, c.person_id, c.environment, c.bundle_id, c.identifier_path)
            or c.deleted_at is not null and exists (
                   select from context as n
                    where n.organization_id = c.organization_id and n.person_id = c.person_id
                      and n.environment = c.environment and n.bundle_id = c.bundle_id
                      and n.identifier_path = c.identifier_path and n.kind = 'native' and n.deleted_at is null));
    delete from native_thumbnail as t using context as c
     where t.organization_id = c.organization_id and t.context_id = c.context_id
       and c.organization_id = my_organization() and c.person_id = my_person()
       and c.environment = my_environment() and c.bundle_id = my_app()
       and c.identifier_path[1:cardinality(p_path)] = p_path and c.kind = 'native';
    update context as c set deleted_at = moment(), thumbnail_id = null
     where c.organization_id = my_organization() and c.person_id = my_person()
       and c.environment = my_environment() and c.bundle_id = my_app()
       and c.identifier_path[1:cardinality(p_path)] = p_path
       and c.kind = 'native' and c.deleted_at is null;
end $$;

-- forget_native_contexts (internal): removes what no handout assigns thirty days after it was last saved, at most
-- p_limit rows, and returns how many. What a person's apps change at the moment is left for the next time: they lock
-- the person's contexts first, and then rows.
create or replace function forget_native_contexts(p_limit integer) returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    removed bigint;
begin
    delete from context where ctid = any (array(
        select c.ctid from context as c
         where c.kind = 'native' and c.saved_at <= (select removal_moment()) - interval '30 days' and not is_at_rest(c.organization_id)
           and not native_context_is_given(c.organization_id, c.person_id, c.environment, c.bundle_id, c.identifier_path)
           and pg_try_advisory_xact_lock(hashtextextended(concat('contexts ', c.organization_id, c.person_id), 0))
         limit p_limit for update skip locked));
    get diagnostics removed = row_count;
    return removed;
end $$;

-- contexts_of_app (internal): every living context that the calling app finds on a path, or directly below one
-- (p_parent): those saved for the person (rank 0), the catalog's (1), and those that handouts assign to the person
-- (2).
create or replace function contexts_of_app(p_organization_id uuid, p_path text[], p_parent text[])
    returns table (context_id uuid, identifier_path text[], display_order double precision, rank integer,
                   locale text, presentable_locales text[])
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    assigned constant uuid[] := my_assigned_context_ids();
begin
    if p_parent is null then
        return query
        select c.context_id, c.identifier_path, c.display_order, c.rank, c.locale, c.presentable_locales
          from generate_series(0, cardinality(p_path)) as depth
         cross join lateral (
               select n.*, 0 as rank from context as n
                where n.organization_id = p_organization_id and n.environment = my_environment()
                  and n.bundle_id = my_app() and n.identifier_path = p_path[1:depth]
                  and n.kind = 'native' and n.person_id = my_person() and n.deleted_at is null
               union all
               select n.*, 1 from context as n
                where n.organization_id = p_organization_id and n.environment = my_environment()
                  and n.bundle_id = my_app() and n.identifier_path = p_path[1:depth]
                  and n.kind = 'catalog' and n.deleted_at is null
               union all
               select n.*, 2 from context as n
                where n.organization_id = p_organization_id and n.context_id = any (assigned)
                  and n.identifier_path = p_path[1:depth]) as c;
    else
        return query
        select c.context_id, c.identifier_path, c.display_order, c.rank, c.locale, c.presentable_locales
          from (select n.*, 0 as rank from context as n
                 where n.organization_id = p_organization_id and n.environment = my_environment()
                   and n.bundle_id = my_app() and n.parent_path = p_parent
                   and n.kind = 'native' and n.person_id = my_person() and n.deleted_at is null
                union all
                select n.*, 1 from context as n
                 where n.organization_id = p_organization_id and n.environment = my_environment()
                   and n.bundle_id = my_app() and n.parent_path = p_parent
                   and n.kind = 'catalog' and n.deleted_at is null
                union all
                select n.*, 2 from context as n
                 where n.organization_id = p_organization_id and n.context_id = any (assigned)
                   and n.parent_path = p_parent) as c;
    end if;
end $$;

-- contexts_on_path: the contexts on a path for the calling app, from the app's own context down: the one saved for
-- the person, else the catalog's in the best locale, else one that a handout assigns to the person. p_after: skip
-- that many identifiers.
create or replace function contexts_on_path(p_path text[], p_languages text[], p_after bigint)
    returns table (place bigint, context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select b.* from browsed(array(
        select best.context_id from (
            select distinct on (c.identifier_path) c.context_id, c.identifier_path
              from contexts_of_app(my_organization(), p_path, null) as c
             where p_after is null or cardinality(c.identifier_path) > p_after
             order by c.identifier_path, c.rank,
                      locale_distance(c.locale, c.presentable_locales, p_languages), c.locale, c.context_id) as best
         order by cardinality(best.identifier_path)), my_assigned_context_ids()) as b;
end $$;

-- children_for_app: the children of a context for the calling app, by display order and then by identifier, each
-- chosen as in contexts_on_path.
create or replace function children_for_app(
    p_path text[], p_languages text[], p_after_order double precision, p_after_path text[], p_limit bigint)
    returns table (place bigint, context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select b.* from browsed(array(
        select best.context_id from (
            select distinct on (c.identifier_path) c.context_id, c.display_order, c.identifier_path
              from contexts_of_app(my_organization(), null, p_path) as c
             order by c.identifier_path, c.rank,
                      locale_distance(c.locale, c.presentable_locales, p_languages), c.locale, c.context_id) as best
         where p_after_path is null
            or (best.display_order, best.identifier_path) > (p_after_order, p_after_path)
         order by best.display_order, best.identifier_path limit p_limit), my_assigned_context_ids()) as b;
end $$;
grant execute on function save_native_contexts(jsonb), remove_native_contexts(text[]),
    contexts_on_path(text[], text[], bigint), my_assigned_context_ids(),
    children_for_app(text[], text[], double precision, text[], bigint)
    to school_app;
