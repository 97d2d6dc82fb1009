-- Functions of native contexts: what apps save in the name of a person, look up and remove.
--
-- An app never learns whether a teacher or a student holds the device: whatever is kept, the answers are the
-- same, and no rule here refuses anything by what is stored.

set local role school_owner;
set local search_path = school, pg_temp;

-- my_assigned_paths (internal): the contexts of the calling app that are given to its person as a student now.
create or replace function my_assigned_paths() returns setof text[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    return query
    select distinct t.recorded_path
      from seat as s
      join task as t    on t.organization_id = s.organization_id and t.class_id = s.class_id
                       and t.bundle_id = my_app() and t.recorded_path is not null
      join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
     where s.organization_id = my_organization() and s.person_id = my_person() and s.role = 'student'
       and s.joined_at <= now() and (s.left_at is null or s.left_at > now())
       and h.environment = my_environment() and h.publish_at <= now()
       and h.completed_at is null and h.deleted_at is null
       and (h.recipients = 'class' or exists (
               select from handout_recipient as r
                where r.organization_id = h.organization_id and r.handout_id = h.handout_id
                  and r.person_id = s.person_id));
end $$;

-- save_native_contexts: keeps for a teacher all contexts of a call, for a student those that lead to what is
-- assigned, for anybody else nothing. p_contexts is an array of objects whose keys are columns. A parent may be
-- saved later than its children. Beyond 2,000 children of a context no new ones are kept.
create or replace function save_native_contexts(p_contexts jsonb) returns void
    language plpgsql security definer
    set search_path = school, pg_temp set jit = off as $$
declare
    is_teacher boolean;
begin
    -- Whatever is kept, something is written.
    insert into upload_receipt (organization_id, receipt_id, arrived_at)
    values (my_organization(), new_id(), moment());
    -- One call after the other, so that the children are counted right. Not by the person's row, which is locked while
    -- an upload is stored: the wait would tell that it was assigned.
    perform pg_advisory_xact_lock(hashtextextended('native contexts ' || my_organization() || my_person(), 0));
    is_teacher := exists (
        select from person_role where organization_id = my_organization() and person_id = my_person()
           and role = 'teacher');

    insert into context
           (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale, person_id,
            title, type, custom_type_name, display_order, is_assignable, progress_reporting_capabilities,
            suggested_age, suggested_completion_time, summary, topic, universal_link_url)
    select my_organization(), new_id(), 'native', my_environment(), my_app(), p.identifier_path, 'und',
           my_person(), p.title, p.type, p.custom_type_name, p.display_order, p.is_assignable,
           p.progress_reporting_capabilities, p.suggested_age, p.suggested_completion_time, p.summary,
           p.topic, p.universal_link_url
      from (select n.*, k.is_known,
                   (select count(*) from context as c
                     where c.organization_id = my_organization() and c.person_id = my_person()
                       and c.environment = my_environment() and c.bundle_id = my_app()
                       and c.parent_path = n.identifier_path[1:cardinality(n.identifier_path) - 1]
                       and c.kind = 'native' and c.deleted_at is null)
                   + row_number() over (
                       partition by k.is_known, n.identifier_path[1:cardinality(n.identifier_path) - 1]
                       order by n.identifier_path) as place
              from jsonb_to_recordset(p_contexts) as n (
                   identifier_path text[], title text, type text, custom_type_name text,
                   display_order double precision, is_assignable boolean,
                   progress_reporting_capabilities jsonb, suggested_age integer[],
                   suggested_completion_time integer[], summary text, topic text, universal_link_url text)
             cross join lateral (
                   select exists (
                       select from context as c
                        where c.organization_id = my_organization() and c.person_id = my_person()
                          and c.environment = my_environment() and c.bundle_id = my_app()
                          and c.identifier_path = n.identifier_path
                          and c.kind = 'native' and c.deleted_at is null) as is_known) as k
             where is_teacher or exists (
                   select from my_assigned_paths() as a (path)
                    where a.path[1:cardinality(n.identifier_path)] = n.identifier_path)) as p
     where p.is_known or p.place <= 2000
        on conflict (organization_id, person_id, environment, bundle_id, identifier_path)
           where kind = 'native' and deleted_at is null
        do update
       set title = excluded.title, type = excluded.type, custom_type_name = excluded.custom_type_name,
           display_order = excluded.display_order, is_assignable = excluded.is_assignable,
           progress_reporting_capabilities = excluded.progress_reporting_capabilities,
           suggested_age = excluded.suggested_age,
           suggested_completion_time = excluded.suggested_completion_time, summary = excluded.summary,
           topic = excluded.topic, universal_link_url = excluded.universal_link_url;
end $$;

-- remove_native_contexts: removes what the app saved for the person at a path, with all descendants; what
-- handouts assign stays in them with the title it had.
create or replace function remove_native_contexts(p_path text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    update context as c set deleted_at = moment()
     where c.organization_id = my_organization() and c.person_id = my_person()
       and c.environment = my_environment() and c.bundle_id = my_app()
       and c.identifier_path[1:cardinality(p_path)] = p_path
       and c.kind = 'native' and c.deleted_at is null;
end $$;

-- contexts_on_path: what there is on a path for the calling app, from the app's own context down: what it saved
-- for the person, else the catalog's in the best locale. p_after: only what is deeper than that many identifiers.
create or replace function contexts_on_path(p_path text[], p_languages text[], p_after bigint)
    returns table (place bigint, context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select b.* from browsed(array(
        select best.context_id
          from generate_series(coalesce(p_after + 1, 0)::integer, cardinality(p_path)) as depth
         cross join lateral (
               select c.context_id from context as c
                where c.organization_id = my_organization() and c.environment = my_environment()
                  and c.bundle_id = my_app() and c.identifier_path = p_path[1:depth]
                  and (c.kind = 'catalog' or c.person_id = my_person()) and c.deleted_at is null
                order by c.kind desc, locale_distance(c.locale, c.presentable_locales, p_languages), c.locale
                limit 1) as best
         order by depth)) as b;
end $$;

-- children_for_app: the children of a context for the calling app, by display order and then by identifier; each
-- as in contexts_on_path.
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
              from context as c
             where c.organization_id = my_organization() and c.environment = my_environment()
               and c.bundle_id = my_app() and c.parent_path = p_path
               and (c.kind = 'catalog' or c.person_id = my_person()) and c.deleted_at is null
             order by c.identifier_path, c.kind desc,
                      locale_distance(c.locale, c.presentable_locales, p_languages), c.locale) as best
         where p_after_path is null
            or (best.display_order, best.identifier_path) > (p_after_order, p_after_path)
         order by best.display_order, best.identifier_path limit p_limit)) as b;
end $$;
grant execute on function save_native_contexts(jsonb), remove_native_contexts(text[]),
    contexts_on_path(text[], text[], bigint),
    children_for_app(text[], text[], double precision, text[], bigint)
    to school_app;
