import Postgres

extension Population {
    /// Hillside has an app, which Sam and a device hold, and a book, which Sam holds; Elsewhere has the same app.
    static let licences: [Statement] = [
        """
        insert into test.name (name, id)
        select name, encode(substring(sha256(name::bytea) for 16), 'hex')::uuid
          from unnest(array['licence of sam', 'licence of a device', 'book of sam',
                            'licence of omar']) as name
        """,
        """
        insert into school.app (organization_id, adam_id, bundle_id, name, product_type,
                                is_device_assignable, is_revocable)
        values (test.id('Hillside'), '100', 'org.example.quizzler', 'Quizzler', 'App', true, true),
               (test.id('Hillside'), '200', null, 'Novel', 'Book', false, false),
               (test.id('Elsewhere'), '100', 'org.example.quizzler', 'Quizzler elsewhere', 'App', true, true)
        """,
        """
        insert into school.pool (organization_id, adam_id, location_id, total_count)
        values (test.id('Hillside'), '100', test.id('Main building'), 3),
               (test.id('Hillside'), '200', test.id('Main building'), 2),
               (test.id('Elsewhere'), '100', test.id('Elsewhere''s building'), 2)
        """,
        """
        insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id,
                                    serial_number)
        values (test.id('Hillside'), test.id('licence of sam'), '100', test.id('Main building'),
                test.id('sam'), null),
               (test.id('Hillside'), test.id('licence of a device'), '100', test.id('Main building'),
                null, 'TABLET-1'),
               (test.id('Hillside'), test.id('book of sam'), '200', test.id('Main building'),
                test.id('sam'), null),
               (test.id('Elsewhere'), test.id('licence of omar'), '100', test.id('Elsewhere''s building'),
                test.id('omar'), null)
        """,
    ]
}
