import JSONBytes
import Postgres
import School
import Values

/// A person as it is sent.
struct NewPerson {
    let givenName: String
    let familyName: String
    let sourceID: String?
    let middleName: String?
    let personNumber: String?
    /// `nil`: made by the organization's format, and kept by a `PUT`.
    let managedID: String?
    let email: String?
    let grade: String?
    let passwordPolicy: String?
    /// Parallel to `locations`.
    let roles: [String]
    let locations: Referring<LocationEntity>

    init(_ sent: Sent) throws {
        let body = sent.body
        givenName = body.text("givenName")!
        familyName = body.text("familyName")!
        sourceID = try sent.sourceID()
        middleName = body.text("middleName")
        personNumber = body.text("personNumber")
        managedID = body.text("managedId")
        email = body.text("email")
        grade = body.text("grade")
        passwordPolicy = body.text("passwordPolicy")
        let held = body.objects("roles") ?? []
        roles = held.map { $0.text("role")! }
        locations = Referring(
            held.map { $0.text("locationId")! },
            pointers: held.indices.map { "/roles/\($0)/locationId" })
        if let managedID, !EmailAddress.isValid(managedID) {
            throw Problem.invalid(
                "/managedId", "malformed", "This should look like name@school.example.")
        }
        if let email, !EmailAddress.isValid(email) {
            throw Problem.invalid("/email", "malformed", "This is not a valid email address.")
        }
    }
}

extension Directory {
    /// Reserves the managed ID that was sent, or makes one.
    func reserveManagedID(
        for person: NewPerson, _ id: PersonID, _ session: Session, _ caller: Caller
    ) async throws -> String {
        guard let managedID = person.managedID else {
            let made = try await session.query(
                .makeManagedID(for: person, id, of: caller.organizationID))
            return try made[0].text("managed_id")
        }
        let rows = try await session.query(
            .reserve(managedID, for: id, of: caller.organizationID))
        switch try rows[0].text("outcome") {
        case "reserved": return managedID
        case "taken": throw Problem.managedIDTaken
        default: throw Problem.foreignDomain
        }
    }

    /// The managed ID that replaces the present one; `nil` where it stays.
    func changedManagedID(
        of id: PersonID, _ person: NewPerson, _ session: Session, _ caller: Caller
    ) async throws -> String? {
        guard let wanted = person.managedID else { return nil }
        let now = try await session.query(.managedID(of: id, of: caller.organizationID))
        guard try now[0].text("managed_id") != wanted else { return nil }
        return try await reserveManagedID(for: person, id, session, caller)
    }
}
