import Postgres
import TestKit

/// Lets time pass in a database: `test.age(organization, minutes)`.
enum Clockwork {
    /// Creates the function, which moves every moment in an organization's rows into the past, except the expiry of
    /// tokens, which everyone needs, and the audit trail, whose seals cover its times.
    static func install(in service: TestSchool) throws {
        try service.sql("create schema if not exists test")
        try service.sql("grant usage on schema test to school_owner")
        try service.sql(
            """
            create or replace function test.run(p_command text) returns void language plpgsql
            as $run$ begin execute p_command; end $run$
            """)
        try service.sql(
            """
            do $do$
            declare
                statements text;
            begin
                select string_agg(format('update school.%I set %s where organization_id = p_organization_id;',
                                         of, settings), e'\\n')
                  into statements
                  from (select c.relname as of,
                               string_agg(format('%1$I = %1$I - make_interval(mins => p_minutes)', a.attname),
                                          ', ') as settings
                          from pg_class as c
                          join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                         where c.relnamespace = 'school'::regnamespace and c.relkind = 'r'
                           and not c.relispartition and a.atttypid = 'timestamptz'::regtype
                           and a.attgenerated = ''
                           and c.relname not in ('access_token', 'refresh_token', 'session', 'audit_seal')
                           and exists (select from pg_attribute as o
                                        where o.attrelid = c.oid and o.attname = 'organization_id')
                         group by c.relname) as t;
                execute format(
                    'create or replace function test.age(p_organization_id uuid, p_minutes integer)
                     returns void language plpgsql set session_replication_role = replica
                     as $age$ begin %s end $age$', statements);
            end $do$
            """)
    }
}
