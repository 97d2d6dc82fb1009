import Postgres
import School

extension FeatureTable {
    /// The roster as Apple's Roster API has it: for roster readers, and for those who read the same below `/v1`.
    static let rosterAPI = FeatureTable(
        calls: """
            GET /rosterapi/v1/organization x x x x x . . . x . . rosterReaders
            GET /rosterapi/v1/locations x x x x x x . . x . . rosterReaders
            GET /rosterapi/v1/locations/{locationId} x x x x x x . . x . . rosterReaders
            GET /rosterapi/v1/users x x x x x x . . x . . rosterReaders
            GET /rosterapi/v1/users/{userId} x x x x x x . . x . . rosterReaders
            GET /rosterapi/v1/classes x x x x x x . . x . . rosterReaders
            GET /rosterapi/v1/classes/{classId} x x x x x x . . x . . rosterReaders
            GET /rosterapi/v1/classes/{classId}/users x x x x x x . . x . . rosterReaders
            """,
        population: [], policies: [], rights: [],
        writes: [
            WriteCase(
                .rosterReader, "reads when people came", "select created_at from school.person",
                is: .done),
            WriteCase(
                .rosterReader, "reads how managed IDs are made",
                "select managed_id_format from school.organization", is: .refused),
            WriteCase(
                .rosterReader, "adds a domain",
                """
                insert into school.organization_domain (organization_id, domain)
                values (test.id('Hillside'), 'other.example')
                """, is: .refused),
        ])
}
