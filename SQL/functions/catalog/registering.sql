-- Functions of registering: an organization gets what others that registered the same key have, and no organization
-- can stop a developer from publishing to the others.

-- offer_contexts: publishes contexts as publish_contexts() does, by a key (the SHA-256 of its text). If there is a
-- mistake, the organization is left unchanged, and the transaction continues for the others. Null means done.
create or replace function offer_contexts(p_environment text, p_contexts jsonb, p_key_digest bytea) returns jsonb
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    mistake jsonb;
begin
    perform set_config('school.developer_key', encode(p_key_digest, 'hex'), true)
      where my_organization() is not null;
    mistake := publish_contexts(p_environment, p_contexts);
    if mistake is not null then
        raise exception 'contexts are refused' using errcode = 'HR001';
    end if;
    return null;
exception when sqlstate 'HR001' then
    return mistake;
end $$;
grant execute on function offer_contexts(text, jsonb, bytea) to school_developer;

-- copy_contexts (internal): copies catalog contexts, with their pictures, that another organization has and this one
-- lacks.
create or replace function copy_contexts(p_from uuid, p_to uuid, p_environment text, p_bundle_ids text[])
    returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    insert into context
           (organization_id, context_id, kind, environment, bundle_id, identifier_path, locale, title, type,
            custom_type_name, display_order, is_assignable, progress_reporting_capabilities, suggested_age,
            suggested_completion_time, summary, thumbnail_id, topic, universal_link_url,
            minimum_bundle_version, keywords, presentable_locales, presentable_paths, standards_alignments,
            search_text, publisher_digest)
    select p_to, new_id(), c.kind, c.environment, c.bundle_id, c.identifier_path, c.locale, c.title, c.type,
           c.custom_type_name, c.display_order, c.is_assignable, c.progress_reporting_capabilities, c.suggested_age,
           c.suggested_completion_time, c.summary, c.thumbnail_id, c.topic, c.universal_link_url,
           c.minimum_bundle_version, c.keywords, c.presentable_locales, c.presentable_paths, c.standards_alignments,
           c.search_text, c.publisher_digest
      from context as c
     where c.organization_id = p_from and c.environment = p_environment and c.bundle_id = any (p_bundle_ids)
       and c.kind = 'catalog' and c.deleted_at is null
        on conflict (organization_id, environment, bundle_id, identifier_path, locale)
           where kind = 'catalog' and deleted_at is null do nothing;
    insert into thumbnail (organization_id, environment, bundle_id, thumbnail_id, media_type, bytes)
    select p_to, t.environment, t.bundle_id, t.thumbnail_id, t.media_type, t.bytes
      from thumbnail as t
     where t.organization_id = p_from and t.environment = p_environment and t.bundle_id = any (p_bundle_ids)
        on conflict on constraint thumbnail_pkey do nothing;
end $$;

-- adopt_contexts: gives the caller's organization what a team published elsewhere before its key was registered here,
-- so that the developer need not publish it again.
--
-- The contexts of another organization were written with the keys registered there, no matter who owns them. So the
-- contexts of an app are taken only from an organization where all of them were published with keys that are
-- registered here, too; of several such organizations, from the one with the most contexts.
create or replace function adopt_contexts(p_team_id text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    perform adopt_contexts_of(my_organization(), p_team_id);
end $$;
grant execute on function adopt_contexts(text) to school_administrator;

-- adopt_contexts_of (internal): the same for any organization.
create or replace function adopt_contexts_of(p_organization_id uuid, p_team_id text) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
declare
    keys  constant bytea[] := array(
        select sha256(convert_to(k.public_key, 'UTF8')) from developer_key as k
         where k.organization_id = p_organization_id and k.team_id = p_team_id);
    found record;
begin
    for found in
        select distinct on (b.bundle_id, c.environment) b.bundle_id, c.environment, o.organization_id
          from developer_bundle as b
          join developer_bundle as o
            on o.team_id = b.team_id and o.bundle_id = b.bundle_id and o.organization_id <> b.organization_id
          join context as c
            on c.organization_id = o.organization_id and c.bundle_id = o.bundle_id
           and c.kind = 'catalog' and c.deleted_at is null
         where b.organization_id = p_organization_id and b.team_id = p_team_id
           and not is_development(o.organization_id)
         group by b.bundle_id, c.environment, o.organization_id
        having bool_and(coalesce(c.publisher_digest = any (keys), false))
         order by b.bundle_id, c.environment, count(*) desc, o.organization_id loop
        perform copy_contexts(found.organization_id, p_organization_id, found.environment,
                              array[found.bundle_id]);
    end loop;
end $$;

-- take_bundles: moves bundle ids that an administrator registers for the organization's own team away from a team of
-- the deployment.
create or replace function take_bundles(p_team_id text, p_bundle_ids text[]) returns void
    language plpgsql security definer
    set search_path = school, pg_temp as $$
begin
    delete from developer_bundle as b using developer_team as t
     where b.organization_id = my_organization() and b.bundle_id = any (p_bundle_ids) and b.team_id <> p_team_id
       and t.organization_id = b.organization_id and t.team_id = b.team_id and t.origin = 'deployment';
end $$;
grant execute on function take_bundles(text, text[]) to school_administrator;
