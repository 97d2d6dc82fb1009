import Postgres

extension RuleEntry {
    /// A body that PostgreSQL keeps as text is the same in every version; others are compared with what was applied.
    static let functions: Statement = """
        select 'function' as kind, '' as of, regexp_replace(f.oid::regprocedure::text, '^school\\.', '') as name,
               concat_ws(' ', l.lanname,
                         case f.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
                         case f.proparallel when 's' then 'parallel' end,
                         case when f.proowner <> 'school_owner'::regrole then 'of ' || f.proowner::regrole end,
                         case when f.prosecdef then 'definer' end, case when f.proisstrict then 'strict' end,
                         case when f.proleakproof then 'leakproof' end,
                         case when f.prokind <> 'f' then 'kind ' || f.prokind::text end,
                         array_to_string(f.proconfig, ', '),
                         md5(concat_ws(' ', pg_get_function_arguments(f.oid), pg_get_function_result(f.oid), f.prosrc,
                                       f.probin))) as said
          from pg_proc as f join pg_language as l on l.oid = f.prolang
         where f.pronamespace = 'school'::regnamespace
        """

    /// Of everyone but the owner.
    static let rights: Statement = """
        with given (of, owner, acl, col) as (
            select r.relname::text, r.relowner,
                   coalesce(r.relacl, acldefault(case r.relkind when 'S' then 's'::"char" else 'r' end, r.relowner)), null
              from pg_class as r
             where r.relnamespace = 'school'::regnamespace and r.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            union all
            select r.relname::text, r.relowner, a.attacl, a.attname::text
              from pg_class as r
              join pg_attribute as a on a.attrelid = r.oid and a.attacl is not null and not a.attisdropped
             where r.relnamespace = 'school'::regnamespace
            union all
            select regexp_replace(f.oid::regprocedure::text, '^school\\.', ''), f.proowner,
                   coalesce(f.proacl, acldefault('f', f.proowner)), null
              from pg_proc as f
             where f.pronamespace = 'school'::regnamespace
            union all
            select 'schema school', n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)), null
              from pg_namespace as n
             where n.nspname = 'school')
        select 'rights' as kind, g.of, '' as name,
               coalesce(string_agg(distinct x.said, '; ' order by x.said), '') as said
          from given as g
          left join lateral (
                select concat(case x.grantee when 0 then 'public' else x.grantee::regrole::text end, ' ',
                              x.privilege_type, '(' || g.col || ')',
                              case when x.is_grantable then ' with grant option' end) collate "C" as said
                  from aclexplode(g.acl) as x
                 where x.grantee <> g.owner) as x on true
         group by g.of
        """

    /// What our roles are, of which roles they are members, who else is a member of them, what new objects would give,
    /// and settings that would change who asks or what is enforced. Who may act as the owner is up to the operator. Since
    /// PostgreSQL 16, who creates a role is its member without being able to use it.
    static let roles: Statement = """
        with own as (select r.* from pg_roles as r where r.rolname like 'school\\_%')
        select 'role' as kind, '' as of, o.rolname::text as name,
               concat_ws('; ', case when o.rolsuper then 'superuser' end, case when o.rolbypassrls then 'bypassrls' end,
                         case when o.rolcreaterole then 'createrole' end,
                         case when o.rolcreatedb then 'createdb' end,
                         case when o.rolreplication then 'replication' end, case when o.rolinherit then 'inherit' end,
                         case when o.rolcanlogin and o.rolname <> 'school_owner' then 'login' end) as said
          from own as o
        union all
        select 'members', '', m.roleid::regrole::text,
               string_agg(distinct m.member::regrole::text, '; ' order by m.member::regrole::text)
          from pg_auth_members as m
         where (m.member in (select o.oid from own as o)
                or m.roleid in (select o.oid from own as o where o.rolname <> 'school_owner'))
           and (to_jsonb(m) ->> 'set_option' is distinct from 'false'
                or to_jsonb(m) ->> 'inherit_option' is distinct from 'false')
         group by m.roleid
        union all
        select 'default rights', '',
               concat_ws(' ', case d.defaclobjtype when 'r' then 'tables' when 'f' then 'functions' when 'T' then 'types'
                                                   when 'S' then 'sequences' else 'schemas' end,
                         'of', d.defaclrole::regrole),
               coalesce((select string_agg(distinct case x.grantee when 0 then 'public' else x.grantee::regrole::text end
                                                    || ' ' || x.privilege_type, '; ')
                           from aclexplode(d.defaclacl) as x where x.grantee <> d.defaclrole), '')
          from pg_default_acl as d
         where d.defaclnamespace = 'school'::regnamespace
            or d.defaclrole = 'school_owner'::regrole and d.defaclnamespace = 0
        union all
        select 'setting', '', coalesce(nullif(s.setrole, 0)::regrole::text, 'every role'),
               string_agg(distinct x.line, '; ')
          from pg_db_role_setting as s cross join unnest(s.setconfig) as x (line)
         where s.setdatabase in (0, (select d.oid from pg_database as d where d.datname = current_database()))
           and (s.setrole = 0 or s.setrole in (select o.oid from own as o))
           and x.line ~ '^(session_replication_role|row_security|search_path|role|school\\.[a-z_]*)='
         group by s.setrole
        """
}
