-- The order of texts is the operating system's, and may change with it.

-- collated_indexes: every index in the order of a collation that has a version: the version it was made with and the
-- one that the system has now. The database's own collation is called default.
create or replace function collated_indexes()
    returns table (index_name text, is_exclusion boolean, collation_schema text, collation_name text, made_with text,
                   system_has text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    with used as (
        select i.indexrelid, o.collation_id
          from pg_index as i cross join lateral unnest(i.indcollation::oid[]) as o (collation_id)
        union
        select d.objid, d.refobjid from pg_depend as d
         where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_collation'::regclass),
    versions as (
        select c.oid as collation_id, c.collnamespace, c.collname, c.collversion,
               pg_collation_actual_version(c.oid) as actual
          from pg_collation as c where c.collprovider <> 'd'
        union all
        select c.oid, c.collnamespace, c.collname, d.datcollversion, pg_database_collation_actual_version(d.oid)
          from pg_collation as c cross join pg_database as d
         where c.collprovider = 'd' and d.datname = current_database())
    select c.relname::text, i.indisexclusion, n.nspname::text, v.collname::text, v.collversion, v.actual
      from used as u
      join versions as v on v.collation_id = u.collation_id and v.actual is not null
      join pg_namespace as n on n.oid = v.collnamespace
      join pg_index as i on i.indexrelid = u.indexrelid
      join pg_class as c on c.oid = u.indexrelid and c.relkind = 'i'
     where c.relnamespace = 'school'::regnamespace
     order by c.relname, v.collname;
end $$;
