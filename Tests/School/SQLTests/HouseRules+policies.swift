import Postgres

extension HouseRules {
    /// What keeps organizations apart, whatever else a policy checks.
    static let policies = [
        Rule(
            // The first of all conditions, and not one of several alternatives.
            testDescription:
                "every policy first checks that the row belongs to the caller's organization",
            breakers: """
                select distinct format('%s: %s', p.tablename, p.policyname) as name
                  from pg_policies as p
                 cross join unnest(array[p.qual, p.with_check]) as c (condition)
                 where p.schemaname = 'school' and c.condition is not null
                   and (c.condition !~ '^\\({1,2}organization_id = (school\\.)?my_organization\\(\\)\\)($| AND )'
                        and c.condition !~ '^\\({1,2}organization_id = \\( SELECT (school\\.)?my_organization\\(\\) '
                                           'AS my_organization\\)\\)($| AND )')
                """),
        Rule(
            testDescription: "every policy has a condition, and its table an organization",
            breakers: """
                select format('%s: %s', p.tablename, p.policyname) as name
                  from pg_policies as p
                 where p.schemaname = 'school'
                   and (coalesce(p.qual, p.with_check) is null
                        or not exists (select from pg_attribute as a
                                        where a.attrelid = format('%I.%I', p.schemaname, p.tablename)::regclass
                                          and a.attname = 'organization_id' and a.attnotnull))
                """),
        Rule(
            // PostgreSQL takes out what all alternatives begin with only where it is the same expression. Otherwise it
            // reckons with the organization twice, and with many organizations expects a single row of the largest.
            testDescription: "all policies of a table ask for the organization in the same words",
            breakers: """
                select p.tablename::text as name
                  from pg_policies as p
                 where p.schemaname = 'school'
                 group by p.tablename
                having count(distinct coalesce(p.qual, p.with_check)
                             ~ 'organization_id = \\( SELECT (school\\.)?my_organization') > 1
                """),
        Rule(
            // PostgreSQL asks a stable function while it plans, and keeps a plan that suits the first organization.
            testDescription: "what belongs to the caller is looked up once, and not while planning",
            breakers: """
                select p.proname::text as name
                  from pg_proc as p
                 where p.pronamespace = 'school'::regnamespace and p.prokind = 'f'
                   and pg_get_functiondef(p.oid) ~* '(any|all) \\((school\\.)?my_[a-z_]+\\('
                """),
    ]
}
