import API
import Postgres
import School

extension Directory {
    private static let timeZone = Column<String?>(
        "time_zone", DirectoryShapes.timeZone, "An IANA name; the organization's when absent.")

    /// The sites of an organization: the buildings of a school, or the schools of a district.
    static let locations = Resource<LocationEntity>(
        .init("location", "locations", at: "/v1/locations"),
        columns: [
            Column<String>("name", .line()), Column<String?>.sourceID, timeZone,
            Column<String?>(
                "password_policy", .word(["4", "6", "8"]),
                "For students who have no policy of their own: 4 or 6 digits, or 8, the standard password."
            ),
        ],
        filters: [.name, .sourceID, .updatedSince],
        rules: Rules {
            $0.check = { draft, session, _ in
                try await checkTimeZone(draft[timeZone], at: "/timeZone", session)
            }
            $0.batch.check = { items, batch, session, _ in
                let names = Set(items.compactMap { $0.value[timeZone] }).sorted()
                let known = try await session.query(.timeZones(among: names))
                    .map { try $0.text("name") }
                for item in items {
                    guard let name = item.value[timeZone], !known.contains(name) else { continue }
                    batch.refuse(item.position, Problem.unknownTimeZone("/timeZone").errors)
                }
            }
            $0.removed = Rules.auditRemoval
            $0.dependents = { id, organization in
                """
                select (select count(*) from school.person_role
                         where organization_id = \(organization) and location_id = \(id)) as "roles of people",
                       (select count(*) from school.course
                         where organization_id = \(organization) and location_id = \(id)) as "courses",
                       (select count(*) from school.class
                         where organization_id = \(organization) and location_id = \(id)) as "classes"
                """
            }
        })

    var locationEndpoints: [Endpoint] {
        Self.locations.endpoints(
            database, readers: Self.readersAndTeachers, writers: Self.writers,
            ResourceTexts(summaries: [.remove: "Remove a location that is not in use"]))
    }

    static func checkTimeZone(
        _ name: String?, at pointer: String, _ session: Session
    ) async throws {
        guard let name else { return }
        let known = try await session.query(.timeZones(among: [name]))
        guard known.count == 1 else { throw Problem.unknownTimeZone(pointer) }
    }
}

extension Statement {
    /// Those of the names that are IANA time zones.
    static func timeZones(among names: [String]) -> Statement {
        """
        select name from pg_catalog.pg_timezone_names
         where name = any (\(names)) and name not like 'posix%'
        """
    }
}
