import Crypto
import Postgres
import School
import TestKit
import Testing
import Values

/// What a filter costs: each comparison goes through what it compares once, however many groups there are.
@Suite struct FilterCosts {
    /// As many pages as one more comparison may read among three hundred groups: one for each would be far more.
    private static let pagesOfComparison = 30

    @Test(arguments: [("members eq", 1), ("not (members eq) and members eq", 2)])
    func `a comparison of members costs the same among many groups`(
        form: String, comparisons: Int
    ) async throws {
        try await withSchool(in: .shared()) { school in
            try makeGroups(school)
            let connection = try BlockingConnection(school.ownerURL)
            try connection.execute("analyze")
            let counter = try PageCounter(school, connection)
            func pages(_ count: Int) async throws -> Int {
                let comparisons = (0..<count).map { _ in
                    form.replacing("eq", with: "eq %22\(UUID.v7())%22")
                }
                let filter = comparisons.joined(separator: " or ").replacing(" ", with: "%20")
                let path = "/scim/v2/Groups?count=20&filter=\(filter)"
                return try #require(
                    try await counter.pages(reading: path, as: .directoryWriter, enough: 0))
            }
            let (few, many) = (try await pages(2), try await pages(42))
            #expect(
                many - few <= 40 * comparisons * Self.pagesOfComparison,
                "\(few) pages, then \(many)")
        }
    }

    /// Three hundred classes, in each of which Sam and Sue sit.
    private func makeGroups(_ school: TestSchool) throws {
        try school.sql(
            """
            insert into school.class (organization_id, class_id, location_id, name)
            select organization_id, school.new_id(), location_id, 'Group ' || n
              from (select organization_id, location_id from school.class where class_id = \(school.biology)) as b,
                   generate_series(1, 300) as n
            """)
        try school.sql(
            """
            insert into school.seat (organization_id, class_id, person_id, role, joined_at)
            select c.organization_id, c.class_id, p.person_id, 'student', c.created_at
              from school.class as c
              join school.person as p on p.organization_id = c.organization_id
               and p.person_id in (\(school.id(.sam))::uuid, \(school.id(.sue))::uuid)
             where c.name like 'Group %'
            """)
    }
}
