import Crypto
import Postgres
import School
import Values

/// Puts the cast into an empty, migrated database.
struct Seed {
    let connection: BlockingConnection

    func plant() throws {
        let record = Scrypt.hash(Persona.password, at: .ofTests)
        try connection.transaction {
            try organization(TestIDs.hillside, "Hillside", at: TestIDs.mainLocation)
            try organization(TestIDs.elsewhere, "Elsewhere", at: TestIDs.elsewhereLocation)
            for persona in Persona.allCases where persona.person == persona {
                try person(persona, record)
            }
            for persona in Persona.allCases { try token(persona) }
            try classes()
        }
    }

    private func organization(
        _ id: OrganizationID, _ name: String, at location: LocationID
    ) throws {
        let domain = "\(name.lowercased()).example"
        try connection.query(
            """
            insert into school.organization (organization_id, name, time_zone, is_student_progress_enabled,
                                             allows_passwords_in_apps)
            values (\(id), \(name), 'Europe/Berlin', true, true)
            """)
        try connection.query(
            """
            insert into school.domain_directory (domain, organization_id) values (\(domain), \(id))
            """)
        try connection.query(
            """
            insert into school.organization_domain (organization_id, domain) values (\(id), \(domain))
            """)
        try connection.query(
            """
            insert into school.location (organization_id, location_id, name, source_id)
            values (\(id), \(location), 'Main building', 'main')
            """)
    }

    private func person(_ persona: Persona, _ record: String) throws {
        let organization = organizationID(of: persona)
        let location = persona.isElsewhere ? TestIDs.elsewhereLocation : TestIDs.mainLocation
        try connection.query(
            """
            insert into school.managed_id_directory (managed_id, organization_id, person_id)
            values (\(persona.managedID), \(organization), \(persona.personID))
            """)
        try connection.query(
            """
            insert into school.person
                   (organization_id, person_id, given_name, family_name, managed_id, source_id)
            values (\(organization), \(persona.personID), \(persona.givenName), 'Example',
                    \(persona.managedID), \("sis-\(persona.rawValue)"))
            """)
        try connection.query(
            """
            insert into school.credential (organization_id, person_id, password_record)
            values (\(organization), \(persona.personID), \(record))
            """)
        for role in persona.roles {
            try connection.query(
                """
                insert into school.person_role (organization_id, person_id, location_id, role)
                values (\(organization), \(persona.personID), \(location), \(role.rawValue))
                """)
        }
    }

    private func token(_ persona: Persona) throws {
        let app = persona.fixedStanding == .app ? TestIDs.quizzler : nil
        let digest = SHA256.digest(Array(persona.token.utf8)).bytes
        try connection.query(
            """
            insert into school.access_token (organization_id, digest, person_id, standing, app, expires_at)
            values (\(organizationID(of: persona)), \(digest), \(persona.person?.personID),
                    \(persona.fixedStanding?.rawValue), \(app), now() + interval '10 years')
            """)
    }

    private func classes() throws {
        try newClass(
            TestIDs.biology, "Biology", TestIDs.hillside, TestIDs.mainLocation,
            teachers: [.tom, .cora], students: [.sam, .sue])
        try newClass(
            TestIDs.chemistry, "Chemistry", TestIDs.hillside, TestIDs.mainLocation,
            teachers: [.tess], students: [.ben])
        try newClass(
            TestIDs.elsewhereClass, "Geography", TestIDs.elsewhere, TestIDs.elsewhereLocation,
            teachers: [.otto], students: [.omar])
    }

    private func newClass(
        _ id: ClassID, _ name: String, _ organization: OrganizationID, _ location: LocationID,
        teachers: [Persona], students: [Persona]
    ) throws {
        try connection.query(
            """
            insert into school.class (organization_id, class_id, location_id, name, source_id)
            values (\(organization), \(id), \(location), \(name), \("class-\(name)"))
            """)
        let seats = teachers.map { ($0, "teacher") } + students.map { ($0, "student") }
        for (persona, role) in seats {
            try connection.query(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at)
                values (\(organization), \(id), \(persona.personID), \(role), now() - interval '60 days')
                """)
        }
    }

    private func organizationID(of persona: Persona) -> OrganizationID {
        persona.isElsewhere ? TestIDs.elsewhere : TestIDs.hillside
    }
}
