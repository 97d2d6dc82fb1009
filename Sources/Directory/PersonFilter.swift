import Postgres
import School
import Values

/// Which people a list holds.
struct PersonFilter {
    let location: Reference<LocationEntity>?
    let role: String?
    let status: PersonStatus?
    let grade: String?
    let classReference: Reference<ClassEntity>?
    let managedID: String?
    let sourceID: String?
    let updatedSince: Timestamp?
    /// Words of names.
    let words: String?

    init(_ request: Request) {
        location = request.queryReference("locationId")
        role = request.query("role")
        status = request.query("status").flatMap { PersonStatus(rawValue: $0) }
        grade = request.query("grade")
        classReference = request.queryReference("classId")
        managedID = request.query("managedId")
        sourceID = request.query("sourceId")
        updatedSince = request.queryTimestamp("updatedSince")
        words = request.query("q")
    }

    /// Whether anything beside the words is asked for.
    fileprivate var hasConditions: Bool {
        location != nil || role != nil || status != nil || grade != nil || classReference != nil
            || managedID != nil || sourceID != nil || updatedSince != nil
    }

    /// Whether a page may be looked for among all people: not where an id names the one.
    var isSelective: Bool {
        (hasConditions || words != nil) && sourceID == nil && managedID == nil
    }
}

extension Statement {
    static func people(
        of organization: OrganizationID, _ filter: PersonFilter, after: UUID?, limit: Int
    ) -> Statement {
        let next: Statement? = after.map { "and p.person_id > \($0)" }
        let found: Statement? = filter.words.map { words in
            // The search ends with the page only where it alone decides who is on it.
            let most: Int? = filter.hasConditions ? nil : limit
            return """
                and p.person_id = any ((select school.search_people(\(words), \(after), \(most)))::uuid[])
                """
        }
        return """
            \(fragment: personColumns)
             where p.organization_id = \(organization)
               \(fragment: conditions(filter, of: organization)) \(optional: found) \(optional: next)
             order by p.person_id limit \(limit)
            """
    }

    private static func conditions(
        _ filter: PersonFilter, of organization: OrganizationID
    ) -> Statement {
        let source: Statement? = filter.sourceID.map { "and p.source_id = \($0)" }
        let managedID: Statement? = filter.managedID.map {
            "and p.managed_id_key = \($0.lowercased())"
        }
        let grade: Statement? = filter.grade.map { "and p.grade = \($0)" }
        let updated: Statement? = filter.updatedSince.map { "and p.updated_at >= \($0)" }
        return """
            \(optional: source) \(optional: managedID) \(optional: filter.status.map(condition))
            \(optional: grade) \(optional: updated) \(optional: role(filter, of: organization))
            \(optional: seat(filter, of: organization))
            """
    }

    private static func condition(_ status: PersonStatus) -> Statement {
        switch status {
        case .locked: "and \(fragment: isLocked)"
        case .deactivated: "and p.status = 'deactivated'"
        case .new, .active: "and p.status = \(status.rawValue) and not \(fragment: isLocked)"
        }
    }

    /// A role and a location that are asked for together are one role at that location.
    private static func role(
        _ filter: PersonFilter, of organization: OrganizationID
    ) -> Statement? {
        guard filter.role != nil || filter.location != nil else { return nil }
        let role: Statement? = filter.role.map { "and r.role = \($0)" }
        let place: Statement? = filter.location.map {
            "and r.location_id = \(fragment: $0.value(in: organization))"
        }
        return """
            and p.person_id in (select r.person_id from school.person_role as r
                                 where r.organization_id = \(organization)
                                   \(optional: role) \(optional: place))
            """
    }

    private static func seat(
        _ filter: PersonFilter, of organization: OrganizationID
    ) -> Statement? {
        filter.classReference.map { reference in
            """
            and p.person_id in (
                select s.person_id from school.seat as s
                 where s.organization_id = \(organization)
                   and s.class_id = \(fragment: reference.value(in: organization))
                   and s.joined_at <= now() and (s.left_at is null or s.left_at > now()))
            """
        }
    }
}
