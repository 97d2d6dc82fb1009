import API
import HTTPWire
import Postgres
import School
import Values

/// The list of people is not a plain resource list: it can search all people for words, and a role and a location
/// that are given together mean one role at that location.
extension Directory {
    private static let nameParameter = Endpoint.Parameter.optional(
        "q", .text(1...256),
        "Only people whose name has every one of these words, as a beginning or a part, without "
            + "regard to accents, case and order; one or two letters only as a beginning.")
    private static let roleParameters: [Endpoint.Parameter] = [
        .optional("locationId", .reference, "Only people with a role at this location."),
        .optional(
            "role", .word(Standing.rolesOfPeople.map(\.rawValue)),
            "Only people who hold this role, at that location or anywhere."),
    ]

    private static let personFilters: [Filter<PersonEntity>] = [
        Filter(.optional("status", .word(PersonStatus.words), "Only those with this status.")) {
            request, _ in
            request.query("status").flatMap { PersonStatus(rawValue: $0) }.map(condition)
        },
        Filter(.optional("grade", .text(1...64), "Only people in this grade.")) { request, _ in
            request.query("grade").map { "and person.grade = \($0)" }
        },
        Filter(
            .optional(
                "classId", .reference, "Only people who are in this class now or teach it.")
        ) { request, organization in
            let reference: Reference<ClassEntity>? = request.queryReference("classId")
            return reference.map { seated(in: $0, organization) }
        },
        Filter(.optional("managedId", .text(1...128), "Only the person with this managed ID.")) {
            request, _ in
            request.query("managedId").map { "and person.managed_id_key = \($0.lowercased())" }
        },
        Filter(
            .optional(
                "progressPaused", .boolean,
                "Only people for whom student progress is off, or is not.")
        ) { request, _ in
            request.queryBoolean("progressPaused").map { "and person.is_progress_paused = \($0)" }
        },
        .sourceID, .updatedSince,
    ]

    /// In which order people are listed.
    private enum Order: String, CaseIterable {
        case id, name, lastSignIn
    }

    private static let orderParameter = Endpoint.Parameter.optional(
        "order", .word(Order.allCases.map(\.rawValue)),
        "By id, which is the order of creation; by family name, given name and id, as a dictionary would; or "
            + "by the last sign-in, the latest first and those without one last, with `lastSignInAt`, for "
            + "those who manage people. Absent: `id`.")

    var listEndpoint: Endpoint {
        Endpoint(
            .get, Self.people.names.path, "List people; teachers get the people in their classes",
            for: Self.readersAndTeachers,
            query: Self.roleParameters + Self.personFilters.map(\.parameter) + [
                Self.nameParameter, Self.orderParameter,
            ] + Endpoint.Parameter.page,
            answers: [.page("People in that order.", of: Self.people.shape)],
            reads: .replica, handler: listPeople)
    }

    func listPeople(_ request: Request, _ caller: Caller) async throws -> Response {
        let organization = caller.organizationID
        let page = try request.page()
        let order = request.query("order").flatMap { Order(rawValue: $0) } ?? .id
        let after = order == .id ? try page.afterID() : nil
        var conditions = Self.personFilters.compactMap { $0.condition(request, organization) }
        if let role = Self.role(request, organization) { conditions.append(role) }
        let isSelective = !conditions.isEmpty || request.query("q") != nil
        let namesOne = request.query("sourceId") != nil || request.query("managedId") != nil
        if let words = request.query("q") {
            // The search goes by ids. It may stop at the end of the page only if nothing else filters or orders its
            // results.
            let most: Int? = conditions.isEmpty && order == .id ? page.limitPlusOne : nil
            conditions.append(
                """
                and person.person_id = any ((select school.search_people(\(words), \(after), \(most)))::uuid[])
                """)
        }
        // A teacher's people may be anywhere among all names, and no index has the order of sign-ins.
        let isLong =
            isSelective && !namesOne || order == .name && caller.standing == .teacher
            || order == .lastSignIn
        let (statement, key) = try Self.list(order, of: caller, conditions, page, after)
        let rows = try await database.page(statement, page, isLong: isLong, as: caller)
        return try page.response(rows, key: key, request: request)
    }

    /// The statement of a page, and what of its last row begins the next one.
    private static func list(
        _ order: Order, of caller: Caller, _ conditions: [Statement], _ page: Page, _ after: UUID?
    ) throws -> (Statement, key: (Row) throws -> [String]) {
        let organization = caller.organizationID
        let limit = page.limitPlusOne
        switch order {
        case .id:
            let after = after.map { PersonID($0) }
            return (
                people.list(
                    of: organization, for: caller.standing, conditions, after: after, limit: limit),
                { [try $0.uuid("id").description] }
            )
        case .name:
            return (
                .peopleByName(
                    of: organization, for: caller.standing, conditions,
                    after: try NamePosition(page), limit: limit),
                NamePosition.key
            )
        case .lastSignIn:
            return (
                .peopleBySignIn(
                    of: organization, conditions, after: try SignInPosition(page), limit: limit),
                SignInPosition.key
            )
        }
    }

    private static func condition(_ status: PersonStatus) -> Statement {
        switch status {
        case .locked: "and \(fragment: isLocked)"
        case .deactivated: "and person.status = 'deactivated'"
        case .new, .active: "and person.status = \(status.rawValue) and not \(fragment: isLocked)"
        }
    }

    private static func role(_ request: Request, _ organization: OrganizationID) -> Statement? {
        let location: Reference<LocationEntity>? = request.queryReference("locationId")
        let role: Statement? = request.query("role").map { "and r.role = \($0)" }
        let there: Statement? = location.map {
            "and r.location_id = \(fragment: $0.value(in: organization))"
        }
        guard role != nil || there != nil else { return nil }
        return """
            and person.person_id in (select r.person_id from school.person_role as r
                                      where r.organization_id = \(organization)
                                        \(optional: role) \(optional: there))
            """
    }

    private static func seated(
        in reference: Reference<ClassEntity>, _ organization: OrganizationID
    ) -> Statement {
        """
        and person.person_id in (
            select s.person_id from school.seat as s
             where s.organization_id = \(organization)
               and s.class_id = \(fragment: reference.value(in: organization))
               and school.is_seated(s))
        """
    }
}
