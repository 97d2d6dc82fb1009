import Postgres

extension Population {
    /// A school year with a semester at Hillside, and a school year at Elsewhere; Biology is taught in the semester.
    static let terms: [Statement] = [
        """
        insert into test.name (name, id)
        select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
          from unnest(array['year', 'semester', 'year elsewhere']) as name
        """,
        """
        insert into school.term (organization_id, term_id, parent_id, name, kind, starts_on, ends_on)
        values (test.id('Hillside'), test.id('year'), null, 'Year', 'schoolYear',
                '2026-08-01', '2027-08-01'),
               (test.id('Hillside'), test.id('semester'), test.id('year'), 'Semester', 'semester',
                '2026-08-01', '2027-02-01'),
               (test.id('Elsewhere'), test.id('year elsewhere'), null, 'Year', 'schoolYear',
                '2026-08-01', '2027-08-01')
        """,
        """
        update school.class set term_id = test.id('semester')
         where organization_id = test.id('Hillside') and class_id = test.id('Biology')
        """,
    ]
}
