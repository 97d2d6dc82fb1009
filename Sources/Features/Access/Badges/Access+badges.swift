import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Making badges for the students of a class, looking at them, and voiding them.
extension Access {
    private static let badgeMakers: [Standing] = [.administrator, .teacher]

    var badgeEndpoints: [Endpoint] {
        let path = "/v1/classes/{id}/badges"
        let ofClasses: [Endpoint] = [
            Endpoint(
                .get, path, "List the students of a class with their badges",
                description: "When each badge was made and last used; void ones are left out.",
                for: Self.badgeMakers, answers: [.json("By name.", BadgeShapes.listed)],
                handler: listBadges),
            Endpoint(
                .post, path, "Make badges for the students of a class",
                description: """
                    A badge signs in one student, without a password, while he or she is in this class. \
                    Teachers make them for students of classes they teach, where they may reset passwords; \
                    nobody for those who have another role or ever taught. Students who signed in before are \
                    told.
                    """,
                for: Self.badgeMakers, body: .jsonIfAny(.object(BadgeShapes.order)),
                answers: [.json("The badges, answered once.", BadgeShapes.made)],
                problems: [
                    (
                        409,
                        "The school has badges off (`badges_off`) or is without passwords (`without_passwords`); the class is "
                            + "archived (`class_archived`) or made by teachers (`badges_need_school_class`); or a student changed "
                            + "meanwhile (`badges_outdated`)."
                    ),
                    (422, "You may not make one for someone on the list (`no_badge`)."),
                ], keys: .refused, cost: 10, handler: makeBadges),
            Endpoint(
                .delete, path, "Void all badges of a class",
                description: "Ends the sign-ins that they began.", for: Self.badgeMakers,
                answers: [.empty(204, "No badge of the class works now.")],
                handler: { try await voidBadges(of: nil, $0, $1) }),
            Endpoint(
                .delete, path + "/{personId}", "Void a student's badge",
                description: "Ends the sign-ins that it began.", for: Self.badgeMakers,
                answers: [.empty(204, "No badge of the student for this class works now.")],
                handler: { try await voidBadges(of: try $0.reference("personId"), $0, $1) }),
        ]
        return badgeRuleEndpoints + badgeSignInEndpoints + ofClasses
    }

    func listBadges(_ request: Request, _ caller: Caller) async throws -> Response {
        let schoolClass = try await badgeClass(request, caller)
        let rows = try await database.query(
            .badges(of: schoolClass.id, in: caller.organizationID), as: caller)
        let items = try rows.map { row -> JSONValue in
            var item = try Self.named(row)
            item["mayHaveBadge"] = .bool(try row.text("outcome") == "ready")
            for (name, column) in [("madeAt", "created_at"), ("lastUsedAt", "last_used_at")] {
                let moment = try row.optionalTimestamp(column)
                item[name] = moment.map { JSONValue.text($0.description) } ?? JSONValue.null
            }
            return .object(item)
        }
        return .json(["items": .array(items)])
    }

    /// Chooses the students, makes a secret for each, and stores the digests of all or none.
    func makeBadges(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.bodyIfAny()
        let schoolClass = try await badgeClass(request, caller)
        let outcome = try await database.query(.badgeOutcome(of: schoolClass.id), as: caller)
        try Self.check(try outcome.first?.text("outcome"))
        let rows = try await database.query(
            .badges(of: schoolClass.id, in: caller.organizationID), as: caller)
        let order = try BadgeOrder(body, of: rows)
        if !order.chosen.isEmpty {
            let statement = try Statement.make(order, for: schoolClass.id)
            let made = try await database.transaction(as: caller) { session in
                try await session.query(statement)
            }
            guard try made[0].bool("is_made") else { throw Problem.badgesOutdated }
        }
        let items = try order.chosen.map { badge -> JSONValue in
            var item = try Self.named(badge.row)
            item["secret"] = .text(badge.secret.text)
            return .object(item)
        }
        return .json([
            "className": .text(schoolClass.name), "items": .array(items),
            "kept": JSONValue(integerLiteral: Int64(order.kept)),
            "leftOut": JSONValue(integerLiteral: Int64(order.leftOut)),
        ])
    }

    private func voidBadges(
        of person: Reference<PersonEntity>?, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let schoolClass = try await badgeClass(request, caller)
        var personID: PersonID?
        if let person {
            let found = try await database.query(
                .visiblePerson(person, organizationID: caller.organizationID), as: caller)
            guard let row = found.first else { throw Problem.notFound }
            personID = PersonID(try row.uuid("person_id"))
        }
        let voided = try await database.transaction(as: caller) { session in
            try await session.query(.voidBadges(of: personID, for: schoolClass.id))
        }
        guard try voided[0].bool("is_void") else { throw Problem.notFound }
        return .noContent
    }

    /// The class in the path; 404 if the caller does not see it.
    private func badgeClass(
        _ request: Request, _ caller: Caller
    ) async throws -> (id: ClassID, name: String) {
        let reference: Reference<ClassEntity> = try request.reference("id")
        let found = try await database.query(
            .sheetClass(reference, in: caller.organizationID), as: caller)
        guard let row = found.first else { throw Problem.notFound }
        return (ClassID(try row.uuid("id")), try row.text("name"))
    }

    private static func check(_ outcome: String?) throws {
        switch outcome {
        case "ready": return
        case "off": throw Problem.badgesOff
        case "withoutPasswords": throw Problem.withoutPasswords
        case "archived": throw Problem.noBadgesInArchivedClass
        case "made": throw Problem.noBadgesInMadeClass
        default: throw Problem.notFound
        }
    }

    private static func named(_ row: Row) throws -> JSONObject {
        JSONObject([
            ("personId", .text(try row.uuid("person_id").description)),
            ("givenName", .text(try row.text("given_name"))),
            ("familyName", .text(try row.text("family_name"))),
            ("nameOrder", .text(try row.text("name_order"))),
        ])
    }
}

/// For whom badges are to be made.
struct BadgeOrder {
    /// The students of a class whom a call looks at.
    static let peopleMax = 1000

    /// One student, with the secret of the new badge.
    struct Badge {
        let row: Row
        let secret = Token()
    }

    private(set) var chosen: [Badge] = []
    /// How many students keep the badge they have.
    private(set) var kept = 0
    private(set) var leftOut = 0
    let isAgain: Bool

    /// - Parameter rows: the students of the class. Of these, those who cannot have a badge are left out; a list that names one
    ///   is refused.
    init(_ body: Fields, of rows: Rows) throws {
        isAgain = body.boolean("again") ?? false
        let listed = body.texts("personIds")?.compactMap { UUID($0) }
        let wanted = listed.map { Set($0) }
        var refused = wanted ?? []
        for row in rows {
            let id = try row.uuid("person_id")
            if let wanted, !wanted.contains(id) { continue }
            guard try row.text("outcome") == "ready" else {
                leftOut += 1
                continue
            }
            refused.remove(id)
            if try !isAgain && !row.isNull("created_at") {
                kept += 1
            } else {
                chosen.append(Badge(row: row))
            }
        }
        if let position = listed?.firstIndex(where: { refused.contains($0) }) {
            throw Problem.noBadgeFor("/personIds/\(position)")
        }
    }
}

extension [UInt8] {
    /// Two digits for each byte, as `decode` of PostgreSQL reads them.
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension Statement {
    /// The students who are in the class now, and the badge of each that works.
    fileprivate static func badges(
        of schoolClass: ClassID, in organization: OrganizationID
    ) -> Statement {
        """
        select p.person_id, p.given_name, p.family_name, school.name_order_of(p) as name_order,
               school.badge_outcome(\(schoolClass), p.person_id) as outcome, b.created_at, b.last_used_at
          from school.person as p
          left join school.badge as b
            on b.organization_id = p.organization_id and b.class_id = \(schoolClass)
           and b.person_id = p.person_id and b.voided_at is null
         where p.organization_id = \(organization)
           and p.person_id in (
               select s.person_id from school.seat as s
                where s.organization_id = \(organization) and s.class_id = \(schoolClass)
                  and s.role = 'student' and school.is_seated(s))
         order by p.family_name collate "und-x-icu", p.given_name collate "und-x-icu", p.person_id
         limit \(BadgeOrder.peopleMax)
        """
    }

    /// One word, as `badge_class_outcome` in SQL says it.
    fileprivate static func badgeOutcome(of schoolClass: ClassID) -> Statement {
        "select school.badge_class_outcome(\(schoolClass)) as outcome"
    }

    fileprivate static func make(_ order: BadgeOrder, for schoolClass: ClassID) throws -> Statement
    {
        let people = try order.chosen.map { PersonID(try $0.row.uuid("person_id")) }
        let digests = order.chosen.map { $0.secret.digest.hexadecimal }
        return """
            select school.make_badges(\(schoolClass), \(people), \(digests), \(order.isAgain)) as is_made
            """
    }

    fileprivate static func voidBadges(
        of person: PersonID?, for schoolClass: ClassID
    ) -> Statement {
        "select school.void_badges(\(schoolClass), \(person)) as is_void"
    }
}
