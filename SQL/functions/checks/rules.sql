-- Whether the rules are what the files say (`homeroom doctor`), and whether every row still has what it refers to.

-- applied_objects: what the migrator noted of functions, triggers and policies when it applied their files.
create or replace function applied_objects() returns table (kind text, name text, sha256 text, fingerprint text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query select a.kind, a.name, a.sha256, a.fingerprint from applied_object as a;
end $$;

-- foreign_keys: every foreign key, those of small tables first. Parts of a partitioned table are read with it.
create or replace function foreign_keys() returns table (name text, child text, parent text)
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
#variable_conflict use_column
begin
    return query
    select k.conname::text, c.relname::text, p.relname::text
      from pg_constraint as k
      join pg_class as c on c.oid = k.conrelid
      join pg_class as p on p.oid = k.confrelid
     where k.connamespace = 'school'::regnamespace and k.contype = 'f' and k.conparentid = 0
     order by c.reltuples, c.relname, k.conname;
end $$;

-- rows_without_parents: how many rows refer by a foreign key to a row that is gone, up to a thousand. PostgreSQL lets
-- none through, except past its triggers: session_replication_role, disabled triggers, or a damaged index.
create or replace function rows_without_parents(p_child text, p_name text) returns bigint
    language plpgsql stable security definer
    set search_path = school, pg_temp as $$
declare
    question text;
    answer   bigint;
begin
    select format('select count(*) from (select from school.%I as c where %s and not exists '
                  '(select from school.%I as p where %s) limit 1000) as found',
                  p_child, string_agg(format('c.%I is not null', a.attname), ' and ' order by u.place),
                  (select r.relname from pg_class as r where r.oid = k.confrelid),
                  string_agg(format('p.%I = c.%I', b.attname, a.attname), ' and ' order by u.place))
      into question
      from pg_constraint as k
     cross join unnest(k.conkey, k.confkey) with ordinality as u (own, other, place)
      join pg_attribute as a on a.attrelid = k.conrelid and a.attnum = u.own
      join pg_attribute as b on b.attrelid = k.confrelid and b.attnum = u.other
     where k.conrelid = to_regclass('school.' || quote_ident(p_child)) and k.conname = p_name and k.contype = 'f'
     group by k.oid, k.confrelid;
    execute question into answer;
    return answer;
end $$;

grant execute on function applied_objects(), foreign_keys(), rows_without_parents(text, text) to school_server;
