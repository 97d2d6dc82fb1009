import API
import JSONBytes
import Values

/// What a user is to be.
struct UserDraft: Equatable {
    /// A managed ID, perhaps without its domain.
    var userName: String
    let givenName: String
    let middleName: String?
    let familyName: String
    /// What the client calls the user.
    var externalID: String?
    let email: String?
    let number: String?
    let grade: String?
    /// `nil` for what it was.
    var isActive: Bool?
    /// Distinct, in order; `nil` for what they were.
    var roles: [String]?
    /// As the client names it; `nil` for what it was.
    let location: String?

    /// - Parameters:
    ///   - object: what was sent, or the resource after changes, as `ResourceType.normalized` leaves it.
    ///   - includesUnsentFields: whether an attribute that is absent was removed, and not only left out.
    init(_ object: JSONObject, includesUnsentFields: Bool = false) throws(Refusal) {
        let name = object["name"]?.object ?? JSONObject()
        let enterprise = object[Schema.enterpriseUser.id]
        userName = try Self.line(object["userName"], "userName", 128)
        givenName = try Self.line(name["givenName"], "name.givenName", 256)
        familyName = try Self.line(name["familyName"], "name.familyName", 256)
        middleName = try Self.lineIfAny(name["middleName"], "name.middleName", 256)
        externalID = try Self.lineIfAny(object["externalId"], "externalId", 255)
        number = try Self.lineIfAny(enterprise?["employeeNumber"], "employeeNumber", 256)
        grade = try Self.lineIfAny(object[Schema.schoolUser.id]?["grade"], "grade", 64)
        location = try Self.lineIfAny(enterprise?["organization"], "organization", 256)
        email = try Self.email(object["emails"]?.array ?? [])
        isActive = object["active"]?.bool
        roles = try Self.roles(object["roles"]?.array) ?? (includesUnsentFields ? [] : nil)
        guard !userName.contains("@") || EmailAddress.isValid(userName) else {
            throw .value("userName", "should look like name@school.example.")
        }
    }

    /// The domain in which the managed ID is not named.
    var isWithoutDomain: Bool { !userName.contains("@") }

    /// The columns of the person, besides roles and status; all others stay as they are. The client's own id for the
    /// user is not among them: it is kept for each client.
    var columns: JSONObject {
        func text(_ value: String?) -> JSONValue { value.map { .text($0) } ?? .null }
        return JSONObject([
            ("managed_id", .text(userName)), ("given_name", .text(givenName)),
            ("middle_name", text(middleName)), ("family_name", .text(familyName)),
            ("email", text(email)), ("person_number", text(number)), ("grade", text(grade)),
        ])
    }

    private static func line(
        _ value: JSONValue?, _ name: String, _ maximum: Int
    ) throws(Refusal) -> String {
        guard let text = try lineIfAny(value, name, maximum) else {
            throw .value(name, "is required.")
        }
        return text
    }

    static func lineIfAny(
        _ value: JSONValue?, _ name: String, _ maximum: Int
    ) throws(Refusal) -> String? {
        guard let text = value?.text else { return nil }
        if let mistake = Shape.line(maximum).check(.text(text)).first {
            throw .value(name, mistake.detail)
        }
        guard !text.allSatisfy(\.isWhitespace) else { throw .value(name, "is empty.") }
        return text
    }

    /// Of several addresses the primary one, else the last of work, else the last.
    private static func email(_ values: [JSONValue]) throws(Refusal) -> String? {
        let chosen =
            values.first { $0["primary"] == true && $0["value"] != nil }
            ?? values.last { $0["type"]?.text?.lowercased() == "work" && $0["value"] != nil }
            ?? values.last { $0["value"] != nil }
        guard let address = chosen?["value"]?.text else { return nil }
        guard EmailAddress.isValid(address), address.unicodeScalars.count >= 3 else {
            throw .value("emails.value", "is not a valid email address.")
        }
        return address
    }

    private static let everyRole = [
        "administrator", "siteManager", "peopleManager", "contentManager", "manager", "teacher",
        "staff", "student",
    ]

    /// Entra's `AppRoleAssignmentsComplex` writes a role as the text of an object that has the word as its `value`.
    private static func role(_ text: String) -> String {
        guard text.hasPrefix("{"), let object = try? JSONValue(parsing: Array(text.utf8)) else {
            return text
        }
        return object["value"]?.text ?? text
    }

    private static func roles(_ values: [JSONValue]?) throws(Refusal) -> [String]? {
        guard let values else { return nil }
        var roles: Set<String> = []
        for value in values {
            let word = Self.role(value["value"]?.text ?? "")
            guard let role = everyRole.first(where: { $0.lowercased() == word.lowercased() })
            else { throw .value("roles.value", "should be staff, student or teacher.") }
            roles.insert(role)
        }
        return roles.sorted()
    }
}

/// A role that a person holds, or is to hold, at a location.
struct RoleAtLocation: Hashable {
    let role: String
    let location: UUID

    var json: JSONValue {
        ["role": .text(role), "locationId": .text(location.description)]
    }
}

/// Which roles a person gets and loses; `put_people_roles` in SQL takes it.
struct RolePlan {
    let person: UUID
    let given: [RoleAtLocation]
    let taken: [RoleAtLocation]

    init(_ person: UUID, given: [RoleAtLocation], taken: [RoleAtLocation]) {
        self.person = person
        self.given = given
        self.taken = taken
    }

    /// - Parameters:
    ///   - held: what the person holds, in the order of locations.
    ///   - words: the roles that the person is to hold; `nil` for those held.
    ///   - location: where the person is to be; `nil` for where the person is.
    ///   - home: where the person is, or is to be without a location.
    init(
        _ person: UUID, held: [RoleAtLocation], words: [String]?, location: UUID?, home: UUID
    ) {
        let place = location ?? home
        let heldWords = Set(held.map(\.role))
        let wanted = Set(words ?? Array(heldWords))
        var given = wanted.subtracting(heldWords).map { RoleAtLocation(role: $0, location: place) }
        var taken = held.filter { !wanted.contains($0.role) }
        if place != home {
            // The person moves, with the roles that stay.
            let moving = held.filter { $0.location == home && wanted.contains($0.role) }
            taken += moving
            given += moving.map { RoleAtLocation(role: $0.role, location: place) }
                .filter { !held.contains($0) }
        }
        self.init(person, given: given, taken: taken)
    }

    var isEmpty: Bool { given.isEmpty && taken.isEmpty }

    var json: JSONValue {
        [
            "person": .text(person.description), "given": .array(given.map(\.json)),
            "taken": .array(taken.map(\.json)),
        ]
    }
}
