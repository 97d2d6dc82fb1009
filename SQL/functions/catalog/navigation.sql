-- Functions of navigation: contexts that are shown in more than one place.

-- also_under (internal): contexts that are also shown under a context that is not their parent: the catalog's, the
-- caller's own native ones, and other people's that handouts show (p_shown).
create or replace function also_under(p_environment text, p_bundle_id text, p_path text[], p_shown uuid[])
    returns setof context
    language plpgsql stable security definer rows 10
    set search_path = school, pg_temp as $$
declare
    place constant jsonb := to_jsonb(p_bundle_id || p_path);
begin
    return query
    select c.* from context as c
     where c.organization_id = my_organization() and c.environment = p_environment
       and c.bundle_id = p_bundle_id and c.deleted_at is null
       and (c.kind = 'catalog' or c.person_id = my_person() or c.context_id = any (p_shown))
       and c.presentable_paths is not null and c.parent_path is distinct from p_path
       and c.presentable_paths @> jsonb_build_array(jsonb_build_object('path', place))
       and exists (select from jsonb_array_elements(c.presentable_paths) as e where e -> 'path' = place);
end $$;
