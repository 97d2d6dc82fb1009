import API
import HTTPWire
import JSONBytes
import Postgres
import School

extension Directory {
    var organizationEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/organization", "Find the organization and its settings",
                for: Self.readers,
                answers: [
                    .json("The organization.", .object(DirectoryShapes.organization)).tagged,
                    .unchanged,
                ],
                handler: findOrganization),
            Endpoint(
                .patch, "/v1/organization", "Change settings of the organization",
                description: """
                    A domain that `domains` leaves out becomes free, unless managed IDs use it: then nothing is \
                    changed.
                    """,
                for: [.administrator, .siteManager, .peopleManager],
                body: .json(.object(DirectoryShapes.organizationChange)),
                answers: [.json("As it is now.", .object(DirectoryShapes.organization)).tagged],
                problems: [
                    (
                        403,
                        "Domains, student progress, `allowsPasswordsInApps` and `withoutPasswords` are for "
                            + "administrators."
                    ),
                    (
                        409,
                        "A domain belongs to another organization, or is in use; or progress would be "
                            + "deleted that a hold keeps (`held`)."
                    ),
                    (412, "It changed since you read it."),
                    (422, "`withoutPasswords` needs a sign-in provider (`no_sign_in_provider`)."),
                ],
                handler: changeOrganization),
        ]
    }

    func findOrganization(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(
            try await database.query(.organization(caller.organizationID), as: caller))
    }

    /// Changes the fields in the body and leaves the rest.
    func changeOrganization(_ request: Request, _ caller: Caller) async throws -> Response {
        let change = try OrganizationChange(try await request.body())
        if caller.standing != .administrator, change.isForAdministrators {
            throw Problem.forbidden(
                "Only an administrator can change domains, student progress, and where passwords count."
            )
        }
        return try await database.transaction(as: caller) { session in
            let now = try await session.query(.lockOrganization(caller.organizationID))
            guard now.count > 0 else { throw Problem.notFound }
            try request.checkMatch(version: try now[0].int("version"))
            try await Self.checkTimeZone(change.timeZone, at: "/timeZone", session)
            try await session.query(.change(caller.organizationID, change))
            if let domains = change.domains {
                try await replaceDomains(domains, session, caller)
            }
            if let allows = change.allowsPasswordsInApps {
                try await session.query(
                    .allowPasswordsInApps(caller.organizationID, allows))
            }
            if let isWithout = change.withoutPasswords {
                try await session.query(.setWithoutPasswords(caller.organizationID, isWithout))
            }
            if let progress = change.progress {
                // Deleting the progress of a whole district may take longer than other statements may.
                if progress.delete {
                    try await session.query("set local statement_timeout = '10min'")
                }
                try await session.query(
                    .setStudentProgress(enabled: progress.enabled, delete: progress.delete))
            }
            if change.fields != ["studentProgress"] {
                try await session.query(
                    .audit(
                        "organizationChange", subjectKind: "organization",
                        subject: caller.organizationID.uuid, details: change.details))
            }
            return try .object(try await session.query(.organization(caller.organizationID)))
        }
    }

    /// Reserves new domains and releases those that are left out, unless managed IDs use them.
    private func replaceDomains(
        _ domains: [String], _ session: Session, _ caller: Caller
    ) async throws {
        try await session.query(.reserve(domains, for: caller.organizationID))
        try await session.query(.order(domains, of: caller.organizationID))
        try await session.query(.removeDomains(of: caller.organizationID, but: domains))
        try await session.query(.freeDomains(of: caller.organizationID, but: domains))
    }
}

/// What a `PATCH` of the organization changes.
struct OrganizationChange {
    let name: String?
    let format: String?
    let timeZone: String?
    /// In lower case; the first one is used for new managed IDs.
    let domains: [String]?
    /// How many students and teachers a class may have; `nil` leaves the limit as it is.
    let classSizes: (students: Int?, teachers: Int?)
    /// The switch for student progress, and whether all progress is deleted with it.
    let progress: (enabled: Bool, delete: Bool)?
    let reclaimsLicences: Bool?
    let sharedDeviceIdleMinutes: Int?
    let ownDeviceIdleHours: Int?
    let nameOrder: String?
    let allowsPasswordsInApps: Bool?
    let withoutPasswords: Bool?
    let importLeftOutPercent: Int?
    /// The names of the changed fields, for the audit event.
    let fields: [String]

    init(_ body: Fields) throws {
        name = body.text("name")
        format = body.text("managedIdFormat")
        timeZone = body.text("timeZone")
        domains = body.texts("domains")?.map { $0.lowercased() }
        let sizes = body.fields("classSizeLimits")
        classSizes = (sizes?.integer("students"), sizes?.integer("teachers"))
        progress = body.fields("studentProgress").map { fields in
            (fields.boolean("enabled") == true, fields.text("onDisable") == "delete")
        }
        reclaimsLicences = body.boolean("reclaimLicences")
        sharedDeviceIdleMinutes = body.integer("sharedDeviceIdleMinutes")
        ownDeviceIdleHours = body.integer("ownDeviceIdleHours")
        nameOrder = body.text("nameOrder")
        allowsPasswordsInApps = body.boolean("allowsPasswordsInApps")
        withoutPasswords = body.boolean("withoutPasswords")
        importLeftOutPercent = body.integer("importLeftOutPercent")
        fields = body.object.keys
        if let problem = format.flatMap({ ManagedIDFormat.problem(of: $0, at: "/managedIdFormat") })
        {
            throw problem
        }
        try checkDomains()
    }

    var isForAdministrators: Bool {
        domains != nil || progress != nil || allowsPasswordsInApps != nil
            || withoutPasswords != nil
    }

    /// What the audit event says: which fields, and which way people sign in from then on.
    var details: JSONValue {
        var details = JSONObject([("fields", .array(fields.map(JSONValue.text)))])
        if let withoutPasswords { details["withoutPasswords"] = .bool(withoutPasswords) }
        return .object(details)
    }

    private func checkDomains() throws {
        var seen: Set<String> = []
        for (index, domain) in (domains ?? []).enumerated() {
            guard Self.isDomain(domain) else {
                throw Problem.invalid(
                    "/domains/\(index)", "malformed", "This is not a domain such as school.example."
                )
            }
            guard seen.insert(domain).inserted else {
                throw Problem.invalid(
                    "/domains/\(index)", "duplicate", "This domain is listed more than once.")
            }
        }
    }

    /// Labels of letters, digits and hyphens with dots between them (RFC 1123 section 2.1).
    static func isDomain(_ text: String) -> Bool {
        text.utf8.count <= 100
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
