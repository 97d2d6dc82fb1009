-- Functions of publishing: what a developer's key writes, all or nothing.
--
-- A developer writes through these functions only. They run once for each organization that registered the key, all
-- in one transaction, and each checks the organization and the team itself. With row-level security, comparing paths
-- could not use the indexes (array_eq is not leakproof).

-- lock_bundles (internal): serializes writers of the same apps, so that limits and references hold despite concurrent
-- writes. Refuses bundle ids that do not belong to the caller's team.
create or replace function lock_bundles(p_bundle_ids text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    locked bigint;
begin
    perform from developer_bundle
      where organization_id = my_organization() and team_id = my_team() and bundle_id = any (p_bundle_ids)
      order by bundle_id for no key update;
    get diagnostics locked = row_count;
    if locked < (select count(distinct b) from unnest(p_bundle_ids) as b) then
        raise exception 'a bundle id is not this team''s' using errcode = 'insufficient_privilege';
    end if;
end $$;

-- shown_locales (internal): the locales in which a version of a context is shown; its own if it names none.
create or replace function shown_locales(p_locales text[], p_locale text) returns text[]
    language sql immutable
    return coalesce(nullif(p_locales, '{}'), array[p_locale]);

-- drop_unused_thumbnails (internal): drops those of these thumbnails that no context of the app names any more.
create or replace function drop_unused_thumbnails(p_environment text, p_bundle_ids text[], p_thumbnail_ids text[])
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from thumbnail as t
     where t.organization_id = my_organization() and t.environment = p_environment
       and t.bundle_id = any (p_bundle_ids) and t.thumbnail_id = any (p_thumbnail_ids)
       and not exists (
           select from context as c
            where c.organization_id = t.organization_id and c.environment = t.environment
              and c.bundle_id = t.bundle_id and c.thumbnail_id = t.thumbnail_id and c.deleted_at is null);
end $$;

-- replaced_thumbnails (internal): the thumbnails of contexts that a call is about to give other ones. Looked up as
-- described at publishing_mistake().
create or replace function replaced_thumbnails(p_environment text, p_contexts jsonb) returns text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp set plan_cache_mode = force_custom_plan set jit = off
    set enable_seqscan = off as $$
declare
    organization constant uuid := my_organization();
begin
    return array(
        select distinct c.thumbnail_id
          from jsonb_to_recordset(p_contexts) as n (bundle_id text, identifier_path text[], locale text,
                                                    thumbnail_id text)
         cross join lateral (
               select c.thumbnail_id from context as c
                where c.organization_id = organization and c.environment = p_environment
                  and c.bundle_id = n.bundle_id and c.identifier_path = n.identifier_path
                  and c.locale = n.locale and c.kind = 'catalog' and c.deleted_at is null offset 0) as c
         where c.thumbnail_id is distinct from n.thumbnail_id and c.thumbnail_id is not null);
end $$;

-- publishing_mistake (internal): what is wrong with the contexts of a call once they are written; null if nothing is.
-- The mistakes are a missing parent, a context with more than 2,000 children in a locale (including those also shown
-- under it), and two versions of a context that would be shown in the same locale. Contexts are looked up by their
-- paths one by one, which `offset 0` forces, and planned for the current table: with poor statistics the planner
-- would rather read the whole table. A condition in a filter would let it use another index.
create or replace function publishing_mistake(p_environment text, p_contexts jsonb) returns jsonb
    language plpgsql stable security definer
    set search_path = school, pg_temp set plan_cache_mode = force_custom_plan set jit = off
    set enable_seqscan = off as $$
declare
    organization constant uuid := my_organization();
    mistake jsonb;
begin
    select jsonb_build_object('code', 'PARENT_NOT_FOUND', 'path', n.bundle_id || n.identifier_path,
                              'locale', n.locale)
      into mistake
      from (select r.bundle_id, r.locale, min(r.identifier_path) as identifier_path,
                   r.identifier_path[1:cardinality(r.identifier_path) - 1] as parent_path
              from jsonb_to_recordset(p_contexts) as r (bundle_id text, identifier_path text[], locale text)
             where cardinality(r.identifier_path) > 0
             group by r.bundle_id, r.locale, parent_path offset 0) as n
     where not exists (
           select from context as c
            where c.organization_id = organization and c.environment = p_environment
              and c.bundle_id = n.bundle_id and c.locale = n.locale and c.kind = 'catalog'
              and c.identifier_path = n.parent_path and c.deleted_at is null offset 0)
     order by n.bundle_id, n.identifier_path, n.locale limit 1;
    if mistake is not null then
        return mistake;
    end if;

    -- A version of a context has its parents in its own locale, so the apps' own contexts cover all locales.
    if (select count(*) > count(distinct c.bundle_id) from context as c
         where c.organization_id = organization and c.environment = p_environment
           and c.bundle_id in (select n ->> 'bundle_id' from jsonb_array_elements(p_contexts) as n)
           and c.identifier_path = '{}' and c.kind = 'catalog' and c.deleted_at is null) then
        select jsonb_build_object('code', 'OVERLAPPING_LOCALES', 'path', n.bundle_id || n.identifier_path,
                                  'locale', n.locale)
          into mistake
          from jsonb_to_recordset(p_contexts) as n (bundle_id text, identifier_path text[], locale text,
                                                    presentable_locales text[])
         cross join lateral (
               select c.locale, c.presentable_locales from context as c
                where c.organization_id = organization and c.environment = p_environment
                  and c.bundle_id = n.bundle_id and c.identifier_path = n.identifier_path
                  and c.locale <> n.locale and c.kind = 'catalog' and c.deleted_at is null offset 0) as c
         where shown_locales(c.presentable_locales, c.locale) && shown_locales(n.presentable_locales, n.locale)
            or 'mul' = any (c.presentable_locales) or 'mul' = any (n.presentable_locales)
         order by n.bundle_id, n.identifier_path, n.locale limit 1;
        if mistake is not null then
            return mistake;
        end if;
    end if;

    select jsonb_build_object('code', 'TOO_MANY_CHILDREN', 'path', p.path, 'locale', p.locale)
      into mistake
      from (select n.bundle_id, n.locale, to_jsonb(n.bundle_id || b.path) as path, b.path as parent_path
              from jsonb_to_recordset(p_contexts) as n (bundle_id text, identifier_path text[], locale text,
                                                        presentable_paths jsonb)
             cross join lateral (
                   select n.identifier_path[1:cardinality(n.identifier_path) - 1] as path
                    where cardinality(n.identifier_path) > 0
                   union all
                   select array(select jsonb_array_elements_text((e -> 'path') - 0))
                     from jsonb_array_elements(n.presentable_paths) as e) as b
             group by 1, 2, 3, 4) as p
     where 2000 < (
           select count(*) filter (where c.locale = p.locale and c.kind = 'catalog') from context as c
            where c.organization_id = organization and c.environment = p_environment
              and c.bundle_id = p.bundle_id and c.parent_path = p.parent_path and c.deleted_at is null) + (
           select count(*) filter (
                      where c.organization_id = organization and c.environment = p_environment
                        and c.bundle_id = p.bundle_id and c.locale = p.locale and c.kind = 'catalog'
                        and c.parent_path is distinct from p.parent_path
                        and exists (select from jsonb_array_elements(c.presentable_paths) as e
                                     where e -> 'path' = p.path))
             from context as c
            where c.presentable_paths @> jsonb_build_array(jsonb_build_object('path', p.path))
              and c.deleted_at is null)
     limit 1;
    return mistake;
end $$;

-- publish_contexts: writes all contexts of a call; p_contexts is an array of objects whose keys are columns. Null
-- means done. Otherwise it returns the mistake found by publishing_mistake(), and the caller must roll back.
-- Statements that must be planned each time are in functions of their own: in here, the foreign-key checks of every
-- row would be planned each time, too.
create or replace function publish_contexts(p_environment text, p_contexts jsonb) returns jsonb
    language plpgsql security definer
    set search_path = school, pg_temp set jit = off as $$
declare
    organization constant uuid := my_organization();
    bundles  constant text[] := array(select distinct n ->> 'bundle_id' from jsonb_array_elements(p_contexts) as n);
    replaced text[];
    mistake  jsonb;
begin
    perform lock_bundles(bundles);
    if exists (
        select from thumbnail as t
         where t.organization_id = organization and t.environment = p_environment and t.bundle_id = any (bundles)) then
        replaced := replaced_thumbnails(p_environment, p_contexts);
    end if;

    insert into context
           (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale, title, type,
            custom_type_name, display_order, is_assignable, progress_reporting_capabilities, suggested_age,
            suggested_completion_time, summary, thumbnail_id, topic, universal_link_url,
            minimum_bundle_version, keywords, presentable_locales, presentable_paths, standards_alignments,
            search_text)
    select organization, new_id(), 'catalog', p_environment, n.bundle_id, n.identifier_path, n.locale,
           n.title, n.type, n.custom_type_name, n.display_order, n.is_assignable,
           n.progress_reporting_capabilities, n.suggested_age, n.suggested_completion_time, n.summary,
           n.thumbnail_id, n.topic, n.universal_link_url, n.minimum_bundle_version, n.keywords,
           n.presentable_locales, n.presentable_paths, n.standards_alignments,
           search_text(n.title, n.keywords, n.summary)
      from jsonb_to_recordset(p_contexts) as n (
           bundle_id text, identifier_path text[], locale text, title text, type text,
           custom_type_name text, display_order double precision, is_assignable boolean,
           progress_reporting_capabilities jsonb, suggested_age integer[],
           suggested_completion_time integer[], summary text, thumbnail_id text, topic text,
           universal_link_url text, minimum_bundle_version text, keywords text[],
           presentable_locales text[], presentable_paths jsonb, standards_alignments text[])
        on conflict (organization_id, environment, bundle_id, identifier_path, locale)
           where kind = 'catalog' and deleted_at is null
        do update
       set title = excluded.title, type = excluded.type, custom_type_name = excluded.custom_type_name,
           display_order = excluded.display_order, is_assignable = excluded.is_assignable,
           progress_reporting_capabilities = excluded.progress_reporting_capabilities,
           suggested_age = excluded.suggested_age,
           suggested_completion_time = excluded.suggested_completion_time, summary = excluded.summary,
           thumbnail_id = excluded.thumbnail_id, topic = excluded.topic,
           universal_link_url = excluded.universal_link_url,
           minimum_bundle_version = excluded.minimum_bundle_version, keywords = excluded.keywords,
           presentable_locales = excluded.presentable_locales,
           presentable_paths = excluded.presentable_paths,
           standards_alignments = excluded.standards_alignments, search_text = excluded.search_text,
           publisher_digest = excluded.publisher_digest;

    mistake := publishing_mistake(p_environment, p_contexts);
    if mistake is null and cardinality(replaced) > 0 then
        perform drop_unused_thumbnails(p_environment, bundles, replaced);
    end if;
    return mistake;
end $$;

-- withdraw_contexts: marks a context in one locale deleted, with all its descendants. Handouts that assign them keep
-- them with their last title. Returns how many there were; 0 if there is no such context.
create or replace function withdraw_contexts(p_environment text, p_bundle_id text, p_path text[], p_locale text)
    returns bigint
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    named text[];
    gone  bigint;
begin
    perform lock_bundles(array[p_bundle_id]);
    if not exists (
        select from context as c
         where c.organization_id = my_organization() and c.environment = p_environment
           and c.bundle_id = p_bundle_id and c.identifier_path = p_path and c.locale = p_locale
           and c.kind = 'catalog' and c.deleted_at is null) then
        return 0;
    end if;
    with withdrawn as (
        update context as c set deleted_at = moment()
         where c.organization_id = my_organization() and c.environment = p_environment
           and c.bundle_id = p_bundle_id and c.locale = p_locale
           and c.identifier_path[1:cardinality(p_path)] = p_path
           and c.kind = 'catalog' and c.deleted_at is null
        returning c.thumbnail_id)
    select count(*), array_agg(distinct thumbnail_id) filter (where thumbnail_id is not null)
      into gone, named from withdrawn;
    if named is not null then
        perform drop_unused_thumbnails(p_environment, array[p_bundle_id], named);
    end if;
    return gone;
end $$;
grant execute on function publish_contexts(text, jsonb), withdraw_contexts(text, text, text[], text)
    to school_developer;
