import API
import Crypto
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Content tokens, which administrators make for device managers: each is a service account with a location.
extension AppsAndBooks {
    private static let tokensPath = "/v1/content-tokens"
    /// As long as Apple's live.
    private static let days: Int64 = 365
    private static let dayMilliseconds: Int64 = 86_400_000

    var tokenEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, Self.tokensPath, "List content tokens", for: [.administrator],
                query: Endpoint.Parameter.page,
                answers: [.page("In the order of their ids.", of: Self.contentToken)],
                handler: listTokens),
            Endpoint(
                .post, Self.tokensPath, "Make a content token for a device manager",
                for: [.administrator], body: .json(.object(Self.newContentToken)),
                answers: [
                    .json("The token, this once.", .object(Self.madeContentToken), status: 201)
                ],
                problems: [(422, "The location is not there, or the end is not within a year.")],
                keys: .refused, handler: makeToken),
            Endpoint(
                .delete, "\(Self.tokensPath)/{id}", "Revoke a content token",
                for: [.administrator], answers: [.empty(204, "It stops working at once.")],
                handler: revokeToken),
        ]
    }

    private func listTokens(_ request: Request, _ caller: Caller) async throws -> Response {
        let page = try request.page()
        let rows = try await database.page(
            .contentTokens(
                of: caller.organizationID, after: try page.afterID(), limit: page.limitPlusOne),
            page, as: caller)
        return try page.response(rows, request: request)
    }

    private func makeToken(_ request: Request, _ caller: Caller) async throws -> Response {
        let body = try await request.body()
        let end = try end(body.timestamp("expiresAt"))
        let location: Reference<LocationEntity>? = body.reference("locationId")
        let id = ServiceAccountID(UUID.v7())
        return try await database.transaction(as: caller) { session in
            let places = try await session.query(
                .placeOfToken(location, of: caller.organizationID))
            guard let place = places.first else {
                throw Problem.unknownReference("/locationId")
            }
            let token = ContentToken(end: end, school: try place.text("school"))
            let made = try await session.query(
                .makeContentToken(
                    id, named: body.text("name")!, token,
                    at: LocationID(try place.uuid("location_id")), in: body.text("country")!))
            guard try made[0].bool("is_made") else {
                throw Problem.unknownReference("/locationId")
            }
            let rows = try await session.query(
                .contentTokens(of: caller.organizationID, only: id, limit: 1))
            var writer = JSONWriter()
            writer.beginObject()
            try rows.writeMembers(row: 0, columns: rows.shownColumns, into: &writer)
            writer.key("contentToken")
            writer.text(token.text)
            writer.endObject()
            return .json(writer.bytes, status: 201)
        }
    }

    /// When a token ends: within a year.
    private func end(_ wanted: Timestamp?) throws -> Timestamp {
        let now = database.clock.now
        func inDays(_ count: Int64) -> Timestamp {
            Timestamp(milliseconds: now.milliseconds + count * Self.dayMilliseconds)
        }
        guard let wanted else { return inDays(Self.days) }
        guard wanted > now else {
            throw Problem.invalid("/expiresAt", "in_the_past", "This time is in the past.")
        }
        guard wanted <= inDays(Self.days + 1) else {
            throw Problem.invalid(
                "/expiresAt", "too_late", "A content token lives for 366 days at most.")
        }
        return wanted
    }

    private func revokeToken(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ServiceAccountID = try request.id("id")
        try await database.transaction(as: caller) { session in
            let rows = try await session.query(
                .revokeContentToken(id, of: caller.organizationID))
            guard rows.count == 1 else { throw Problem.notFound }
            try await session.query(
                .audit(
                    "serviceAccountChange", subjectKind: "serviceAccount", subject: id.uuid,
                    details: ["change": "revoked"]))
        }
        return .noContent
    }

    // MARK: Shapes

    private static let country = Shape.form(
        TextForm(
            "two capital letters", schema: ["type": "string", "pattern": "^[A-Z]{2}$"],
            example: "DE",
            accepts: { $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) } }))

    private static let newContentToken = ObjectShape(
        "NewContentToken",
        [
            .required("name", .line(), "What uses it, such as the name of the device manager."),
            .required("locationId", .reference, "Whose licences it manages."),
            .required("country", country, "In whose store the school buys (ISO 3166-1)."),
            .optional("expiresAt", .timestamp, "At most 366 days from now; absent: in 365 days."),
        ])

    private static let tokenFields: [Field] = [
        .required("id", .uuid, "Also the id of its service account."), .required("name", .line()),
        .required("locationId", .uuid), .required("country", country),
        .orNull(
            "mdmName", .text(0...100), "Which device manager says that it is in charge there."),
        .required("expiresAt", .timestamp), .required("createdAt", .timestamp),
    ]

    private static let contentToken = ObjectShape("ContentToken", tokenFields)

    private static let madeContentToken = ObjectShape(
        "MadeContentToken",
        tokenFields + [
            .required(
                "contentToken", .text(100...500), "For the device manager; kept nowhere.")
        ])
}

/// What a device manager is given: the Base64 of a JSON object with a secret, its end, and the name of the school.
struct ContentToken: Sendable {
    /// Bytes of the school's name, so that the token fits into a header field.
    private static let mostNameBytes = 100

    let text: String
    let end: Timestamp

    init(end: Timestamp, school name: String) {
        var name = name
        while name.utf8.count > Self.mostNameBytes { name.unicodeScalars.removeLast() }
        let document: JSONValue = [
            "token": .text(SecureRandom.token()), "expDate": .text(ContentLibrary.moment(end)),
            "orgName": .text(name),
        ]
        text = Base64.encode(document.bytes)
        self.end = end
    }

    /// What is stored of it.
    var digest: [UInt8] { SHA256.digest(text).bytes }
}

extension Statement {
    /// Content tokens that work or have expired, but were not revoked.
    fileprivate static func contentTokens(
        of organization: OrganizationID, after: UUID? = nil, only id: ServiceAccountID? = nil,
        limit: Int
    ) -> Statement {
        let next: Statement? = after.map { "and t.service_account_id > \($0)" }
        let one: Statement? = id.map { "and t.service_account_id = \($0)" }
        return """
            select t.service_account_id as "id", a.name, t.location_id, l.country, l.mdm_name,
                   a.expires_at, a.created_at
              from school.content_token as t
              join school.service_account as a
                on a.organization_id = t.organization_id and a.service_account_id = t.service_account_id
              join school.content_library as l
                on l.organization_id = t.organization_id and l.location_id = t.location_id
             where t.organization_id = \(organization) and a.revoked_at is null \(optional: next) \(optional: one)
             order by t.service_account_id limit \(limit)
            """
    }

    /// The location of a new token, with the name of its school.
    fileprivate static func placeOfToken(
        _ reference: Reference<LocationEntity>?, of organization: OrganizationID
    ) -> Statement {
        let named: Statement = reference.map { $0.names("location") } ?? "false"
        return """
            select location.location_id, o.name as school
              from school.location
              join school.organization as o on o.organization_id = location.organization_id
             where location.organization_id = \(organization) and \(fragment: named)
            """
    }

    /// The secret of the account is thrown away: nobody gets tokens with it until it is replaced.
    fileprivate static func makeContentToken(
        _ id: ServiceAccountID, named name: String, _ token: ContentToken,
        at location: LocationID, in country: String
    ) -> Statement {
        """
        select school.make_content_token(
                   \(id), \(name), \(location), \(country), \(SecureRandom.bytes(32)), \(token.digest), \(token.end))
               as is_made
        """
    }

    fileprivate static func revokeContentToken(
        _ id: ServiceAccountID, of organization: OrganizationID
    ) -> Statement {
        """
        update school.service_account as a set revoked_at = school.moment()
         where a.organization_id = \(organization) and a.service_account_id = \(id) and a.revoked_at is null
           and exists (select from school.content_token as t
                        where t.organization_id = a.organization_id
                          and t.service_account_id = a.service_account_id)
        returning a.service_account_id
        """
    }
}
