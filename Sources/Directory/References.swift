import Postgres
import School
import Values

/// References of a body, with the pointers at which they stand.
struct Referring<Entity> {
    let ids: [ID<Entity>?]
    let sources: [String?]
    let pointers: [String]

    /// Texts that have been checked to be references, each with its pointer.
    init(_ texts: [String], pointers: [String]) {
        let references = texts.map { Reference<Entity>($0) }
        ids = references.map { $0?.id }
        sources = references.map { $0?.source }
        self.pointers = pointers
    }

    /// A list of references at a pointer.
    init(_ texts: [String], at pointer: String) {
        self.init(texts, pointers: texts.indices.map { "\(pointer)/\($0)" })
    }

    /// The ids in the order of the references; the same 422 for what is absent and what is invisible.
    func resolved(by rows: Rows) throws -> [ID<Entity>] {
        var found: [ID<Entity>] = []
        var errors: [Problem.Invalid] = []
        for (index, row) in rows.enumerated() {
            if let id = try row.optionalUUID("id") {
                found.append(ID(id))
            } else if errors.count < 100 {
                errors += Problem.unknownReference(pointers[index]).errors
            }
        }
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        return found
    }
}

extension Statement {
    /// The ids of locations, null for what the caller does not see.
    static func resolve(
        _ references: Referring<LocationEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce(i.location_id, s.location_id) as "id"
          from unnest(\(references.ids), \(references.sources))
               with ordinality as w (id, source, position)
          left join school.location as i
            on i.organization_id = \(organization) and i.location_id = w.id
          left join school.location as s
            on s.organization_id = \(organization) and s.source_id = w.source
         order by w.position
        """
    }

    /// The ids of people, null for what the caller does not see.
    static func resolve(
        _ references: Referring<PersonEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce(i.person_id, s.person_id) as "id"
          from unnest(\(references.ids), \(references.sources))
               with ordinality as w (id, source, position)
          left join school.person as i
            on i.organization_id = \(organization) and i.person_id = w.id
          left join school.person as s
            on s.organization_id = \(organization) and s.source_id = w.source
         order by w.position
        """
    }

    /// The ids of courses, null for what the caller does not see.
    static func resolve(
        _ references: Referring<CourseEntity>, in organization: OrganizationID
    ) -> Statement {
        """
        select coalesce(i.course_id, s.course_id) as "id"
          from unnest(\(references.ids), \(references.sources))
               with ordinality as w (id, source, position)
          left join school.course as i
            on i.organization_id = \(organization) and i.course_id = w.id
          left join school.course as s
            on s.organization_id = \(organization) and s.source_id = w.source
         order by w.position
        """
    }

    /// Whether a time zone has this IANA name.
    static func isTimeZone(_ name: String) -> Statement {
        """
        select exists (select from pg_catalog.pg_timezone_names
                        where name = \(name) and name not like 'posix%') as "isKnown"
        """
    }
}

extension Directory {
    func checkTimeZone(_ name: String?, at pointer: String, _ session: Session) async throws {
        guard let name else { return }
        let rows = try await session.query(.isTimeZone(name))
        guard try rows[0].bool("isKnown") else { throw Problem.unknownTimeZone(pointer) }
    }
}
