-- Functions of browsing: apps, the children of a context, and search in the catalog, as seen by those who give
-- handouts.
--
-- Definer functions, because comparing paths and words is not leakproof, so that row-level security could not use the
-- indexes. They check organization and standing themselves and return ids; what is shown of a context is then read by
-- its id, under row-level security again. One row per path, in the locale that suits the reader best.

-- search_words (internal): the same as folded(), at a fifth of the cost for a text that is all ASCII. Not declared
-- strict, which makes no difference to the result, so that it can be inlined.
create or replace function search_words(p_text text) returns text
    language sql immutable parallel safe
    return case when octet_length(p_text) = char_length(p_text)
                then lower(translate(p_text, '-.,_''`', '    ')) else folded(p_text) end;

-- search_text (internal): the words that find a context, ignoring accents and case. Words of the title rank before
-- those of keywords, and those before the words of the summary.
create or replace function search_text(p_title text, p_keywords text[], p_summary text) returns tsvector
    language sql stable
    return setweight(to_tsvector('simple', search_words(p_title)), 'A')
        || setweight(to_tsvector('simple', search_words(array_to_string(p_keywords, ' '))), 'B')
        || setweight(to_tsvector('simple', coalesce(search_words(p_summary), '')), 'C');

-- check_browsing (internal): refuses a caller who may not browse the catalog.
create or replace function check_browsing() returns void
    language plpgsql stable
    set search_path = school, pg_temp as $$
begin
    if my_organization() is null or my_standing() not in ('teacher', 'administrator', 'contentManager') then
        raise exception 'the catalog is for those who give handouts' using errcode = 'insufficient_privilege';
    end if;
end $$;

-- locale_distance (internal): how badly a version of a context suits a reader; less is better. Earlier languages of the
-- reader win. Within one, its own locale is best, then another in which the version is shown, then the same language.
create or replace function locale_distance(p_locale text, p_presentable text[], p_languages text[]) returns bigint
    language sql immutable
    return coalesce((select min(case when p_locale = w.locale then 0
                                     when w.locale = any (p_presentable) then 1
                                     when split_part(p_locale, '-', 1) = split_part(w.locale, '-', 1) then 2
                                end + 3 * w.place)
                       from unnest(p_languages) with ordinality as w (locale, place)),
                    case when 'mul' = any (p_presentable) then 100000 else 100001 end);

-- task_title: the title of a task for a reader of these languages, the preferred first: that of its context in the
-- locale that suits best, else the one seen by the person who gave the task. It can be inlined.
create or replace function task_title(p_title text, p_titles jsonb, p_languages text[]) returns text
    language sql immutable
begin atomic
        select case when p_titles is null then p_title
                    else coalesce((select e ->> 'title'
                                     from jsonb_array_elements(p_titles) as e
                                    cross join lateral (
                                          select school.locale_distance(e ->> 'locale', array(
                                              select jsonb_array_elements_text(e -> 'presentableLocales')),
                                              p_languages) as far) as d
                                    where d.far < 100000
                                    order by d.far, e ->> 'locale' limit 1), p_title) end;
end;
grant execute on function locale_distance(text, text[], text[]), task_title(text, jsonb, text[])
    to school_teacher, school_student;

-- my_shown_context_ids (internal): other people's native contexts that handouts show to the caller as a teacher.
create or replace function my_shown_context_ids(p_environment text) returns uuid[]
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    if my_standing() is distinct from 'teacher' then
        return '{}';
    end if;
    return array(
        select c.context_id
          from task as t
          join handout as h on h.organization_id = t.organization_id and h.handout_id = t.handout_id
          join context as c
            on c.organization_id = t.organization_id and c.person_id = t.context_owner_id and c.kind = 'native'
           and c.environment = h.environment and c.bundle_id = t.bundle_id
           and c.identifier_path = t.recorded_path and c.deleted_at is null
         where t.organization_id = my_organization() and t.class_id = any ((select my_taught_class_ids())::uuid[])
           and t.context_owner_id <> my_person()
           and h.environment = p_environment and h.environment = my_environment() and h.deleted_at is null
           and (h.publish_at is not null or h.author_id = my_person()));
end $$;

-- browsed (internal): contexts in the order of their ids, with their topic, their own or inherited from the nearest
-- ancestor, and whether they have children. p_shown: other people's contexts that handouts show.
create or replace function browsed(p_context_ids uuid[], p_shown uuid[] default '{}')
    returns table (place bigint, context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select i.place, c.context_id, coalesce(c.topic, (
               select a.topic
                 from generate_series(1, cardinality(c.identifier_path)) as up
                 join context as a
                   on a.organization_id = c.organization_id and a.environment = c.environment
                  and a.bundle_id = c.bundle_id
                  and a.identifier_path = c.identifier_path[1:cardinality(c.identifier_path) - up]
                  and (a.kind = 'catalog' and (a.locale = c.locale or c.kind = 'native')
                       or a.person_id = c.person_id and a.person_id = my_person())
                  and a.deleted_at is null
                where a.topic is not null
                order by up, a.kind desc, a.locale limit 1)),
           exists (select from context as k
                    where k.organization_id = c.organization_id and k.environment = c.environment
                      and k.bundle_id = c.bundle_id and k.parent_path = c.identifier_path
                      and k.deleted_at is null and k.kind = 'catalog')
        or exists (select from context as k
                    where k.organization_id = c.organization_id and k.environment = c.environment
                      and k.bundle_id = c.bundle_id and k.parent_path = c.identifier_path
                      and k.deleted_at is null and k.kind = 'native' and k.person_id = my_person())
        or exists (select from context as k
                    where k.organization_id = c.organization_id and k.environment = c.environment
                      and k.bundle_id = c.bundle_id and k.parent_path = c.identifier_path
                      and k.context_id = any (p_shown))
        or exists (select from also_under(c.environment, c.bundle_id, c.identifier_path, p_shown))
      from unnest(p_context_ids) with ordinality as i (context_id, place)
      join context as c on c.organization_id = my_organization() and c.context_id = i.context_id
     order by i.place;
end $$;

-- browse_apps: the apps' own contexts, by bundle id: the catalog's, or what the caller's app saved.
create or replace function browse_apps(p_environment text, p_languages text[], p_after text, p_limit bigint)
    returns table (place bigint, context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    perform check_browsing();
    return query
    select b.* from browsed(array(
        select distinct on (c.bundle_id) c.context_id
          from (select n.* from context as n
                 where n.organization_id = my_organization() and n.environment = p_environment
                   and n.identifier_path = '{}' and n.kind = 'catalog' and n.deleted_at is null
                   and n.bundle_id > coalesce(p_after, '')
                union all
                select n.* from context as n
                 where n.organization_id = my_organization() and n.environment = p_environment
                   and n.identifier_path = '{}' and n.kind = 'native' and n.deleted_at is null
                   and n.person_id = my_person() and n.bundle_id > coalesce(p_after, '')) as c
         order by c.bundle_id, c.kind, locale_distance(c.locale, c.presentable_locales, p_languages), c.locale
         limit p_limit), my_shown_context_ids(p_environment)) as b;
end $$;

-- browse_context: whether a context exists in any locale: in the catalog, among the caller's own, or shown by a
-- handout.
create or replace function browse_context(p_environment text, p_bundle_id text, p_path text[]) returns boolean
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
begin
    perform check_browsing();
    return exists (
        select from context as c
         where c.organization_id = my_organization() and c.environment = p_environment
           and c.bundle_id = p_bundle_id and c.identifier_path = p_path and c.deleted_at is null
           and c.kind = 'catalog')
        or exists (
        select from context as c
         where c.organization_id = my_organization() and c.environment = p_environment
           and c.bundle_id = p_bundle_id and c.identifier_path = p_path and c.deleted_at is null
           and c.kind = 'native' and c.person_id = my_person())
        or exists (
        select from context as c
         where c.organization_id = my_organization() and c.bundle_id = p_bundle_id and c.identifier_path = p_path
           and c.context_id = any ((select my_shown_context_ids(p_environment))::uuid[]));
end $$;

-- browse_children: what is shown under a context, by display order and then by identifier: its children in the
-- catalog, the caller's own native ones and those that handouts show, and others of all these that are also shown
-- here.
create or replace function browse_children(
    p_environment text, p_bundle_id text, p_path text[], p_languages text[], p_after_order double precision,
    p_after_path text[], p_limit bigint)
    returns table (place bigint, context_id uuid, topic text, has_children boolean)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
declare
    shown constant uuid[] := my_shown_context_ids(p_environment);
begin
    perform check_browsing();
    return query
    select b.* from browsed(array(
        select best.context_id from (
            select distinct on (s.identifier_path) s.context_id, s.display_order, s.identifier_path
              from (select c.* from context as c
                     where c.organization_id = my_organization() and c.environment = p_environment
                       and c.bundle_id = p_bundle_id and c.parent_path = p_path and c.deleted_at is null
                       and c.kind = 'catalog'
                    union all
                    select c.* from context as c
                     where c.organization_id = my_organization() and c.environment = p_environment
                       and c.bundle_id = p_bundle_id and c.parent_path = p_path and c.deleted_at is null
                       and c.kind = 'native' and c.person_id = my_person()
                    union all
                    select c.* from context as c
                     where c.organization_id = my_organization() and c.bundle_id = p_bundle_id
                       and c.parent_path = p_path and c.context_id = any (shown)
                    union all
                    select * from also_under(p_environment, p_bundle_id, p_path, shown)) as s
             order by s.identifier_path, s.kind, s.person_id is distinct from my_person(),
                      locale_distance(s.locale, s.presentable_locales, p_languages), s.locale, s.context_id) as best
         where p_after_path is null
            or (best.display_order, best.identifier_path) > (p_after_order, p_after_path)
         order by best.display_order, best.identifier_path limit p_limit), shown) as b;
end $$;

-- search_contexts: contexts of the catalog, the caller's own native ones and those that handouts show, where every
-- word of the query (at most ten) begins a word of the title, keywords or summary, in any locale. The best match
-- comes first; with several contexts on one path, only the catalog's is returned. Filters apply to the version that
-- is shown: its topic, own or inherited; an age within its range (all ages if it has none); a time within which it
-- can be completed by its own suggestion; and a kind of progress that it reports.
create or replace function search_contexts(
    p_query text, p_environment text, p_bundle_id text, p_topic text, p_age bigint, p_minutes_max bigint,
    p_kind text, p_languages text[], p_after_rank double precision, p_after_id uuid, p_limit bigint)
    returns table (place bigint, context_id uuid, topic text, has_children boolean, rank double precision)
    language plpgsql stable security definer
    set search_path = school, pg_temp set jit = off as $$
#variable_conflict use_column
declare
    words constant tsquery := (
        select to_tsquery('simple', string_agg(quote_literal(w) || ':*', ' & '))
          from (select unnest(tsvector_to_array(
                           to_tsvector('simple', translate(folded(p_query), '\', ' ')))) as w limit 10) as q);
    handed constant uuid[] := my_shown_context_ids(p_environment);
begin
    perform check_browsing();
    return query
    with native as materialized (
        select c.* from context as c
         where c.organization_id = my_organization() and c.environment = p_environment
           and (p_bundle_id is null or c.bundle_id = p_bundle_id) and c.person_id = my_person()
           and c.kind = 'native' and c.deleted_at is null and c.search_text @@ words
        union all
        select c.* from context as c
         where c.organization_id = my_organization() and c.context_id = any (handed)
           and (p_bundle_id is null or c.bundle_id = p_bundle_id) and c.search_text @@ words
    ), found as (
        select c.bundle_id, c.identifier_path, max(ts_rank(c.search_text, words))::double precision as rank
          from context as c
         where c.organization_id = my_organization() and c.environment = p_environment
           and (p_bundle_id is null or c.bundle_id = p_bundle_id)
           and c.kind = 'catalog' and c.deleted_at is null and c.search_text @@ words
         group by c.bundle_id, c.identifier_path
        union all
        select n.bundle_id, n.identifier_path, max(ts_rank(n.search_text, words))::double precision
          from native as n
         group by n.bundle_id, n.identifier_path
    ), shown as (
        select distinct on (v.bundle_id, v.identifier_path) v.*
          from (select f.rank, c.*
                  from found as f
                  join context as c
                    on c.organization_id = my_organization() and c.environment = p_environment
                   and c.bundle_id = f.bundle_id and c.identifier_path = f.identifier_path
                   and c.kind = 'catalog' and c.deleted_at is null
                union all
                select f.rank, n.*
                  from found as f
                  join native as n on n.bundle_id = f.bundle_id and n.identifier_path = f.identifier_path) as v
         order by v.bundle_id, v.identifier_path, v.kind, v.person_id is distinct from my_person(),
                  locale_distance(v.locale, v.presentable_locales, p_languages), v.locale, v.context_id, v.rank desc
    ), fitting as (
        select s.rank, s.context_id from shown as s
         where (p_age is null or s.suggested_age is null
                or s.suggested_age[1] <= p_age and coalesce(s.suggested_age[2] >= p_age, true))
           and (p_minutes_max is null or s.suggested_completion_time[2] <= p_minutes_max)
           and (p_kind is null
                or s.progress_reporting_capabilities @> jsonb_build_array(jsonb_build_object('kind', p_kind)))
           and (p_topic is null or s.topic = p_topic or s.topic is null
                and p_topic = (select b.topic from browsed(array[s.context_id]) as b))
           and (p_after_id is null
                or s.rank < p_after_rank or s.rank = p_after_rank and s.context_id > p_after_id)
         order by s.rank desc, s.context_id limit p_limit)
    select b.*, f.rank
      from browsed(array(select context_id from fitting order by rank desc, context_id), handed) as b
      join fitting as f on f.context_id = b.context_id
     order by b.place;
end $$;
grant execute on function browse_apps(text, text[], text, bigint), browse_context(text, text, text[]),
    browse_children(text, text, text[], text[], double precision, text[], bigint),
    search_contexts(text, text, text, text, bigint, bigint, text, text[], double precision, uuid, bigint)
    to school_teacher, school_administrator, school_content_manager;
