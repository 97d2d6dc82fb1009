import API
import HTTPWire
import Postgres
import School

/// What a school lets its teachers do beyond teaching: make classes, and reset the passwords of their students.
///
/// `SQL/functions/privileges` decides who may do what.
package struct Privileges: Feature {
    package let meaning =
        "What teachers may do beyond teaching, and the classes that they make themselves."
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        settingEndpoints + ownEndpoints + madeClassEndpoints + madeRosterEndpoints
    }

    // MARK: Granting

    private var settingEndpoints: [Endpoint] {
        let path = "/v1/privileges/{privilege}"
        let body = Endpoint.Body.json(.object(PrivilegeShapes.setting))
        return [
            Endpoint(
                .get, "/v1/privileges", "List the privileges of teachers at each location",
                for: [.administrator],
                answers: [
                    .json(
                        "For each privilege the organization first, then its locations.",
                        .object(PrivilegeShapes.settings))
                ], handler: listSettings),
            Endpoint(
                .put, path, "Grant a privilege in the whole organization, or withdraw it",
                description: """
                    Locations without a setting of their own follow. Withdrawing it ends the right at once; \
                    classes and passwords that were made stay.
                    """,
                for: [.administrator], body: body, answers: [.empty(204, "Set.")],
                handler: { try await set(nil, $0, $1) }),
            Endpoint(
                .put, path + "/locations/{id}", "Grant a privilege at a location, or withdraw it",
                description: "The location no longer follows the organization's setting.",
                for: [.administrator], body: body, answers: [.empty(204, "Set.")],
                handler: { try await set(try $0.reference("id"), $0, $1) }),
            Endpoint(
                .delete, path + "/locations/{id}",
                "Let a location follow the organization's setting again",
                for: [.administrator],
                answers: [.empty(204, "The location has no setting of its own.")],
                handler: inherit),
        ]
    }

    func listSettings(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(try await database.query(.privilegeSettings, as: caller))
    }

    private func set(
        _ reference: Reference<LocationEntity>?, _ request: Request, _ caller: Caller
    ) async throws -> Response {
        let privilege = try Privilege(request)
        let isGranted = try await request.body().boolean("granted") ?? false
        return try await database.transaction(as: caller) { session in
            let location = try await find(reference, session, caller)
            _ = try await session.query([
                .set(privilege, at: location, isGranted, of: caller.organizationID),
                .audit(privilege, at: location, granted: isGranted),
            ])
            return .noContent
        }
    }

    func inherit(_ request: Request, _ caller: Caller) async throws -> Response {
        let privilege = try Privilege(request)
        let reference: Reference<LocationEntity> = try request.reference("id")
        return try await database.transaction(as: caller) { session in
            let location = try await find(reference, session, caller)
            _ = try await session.query([
                .inherit(privilege, at: location, of: caller.organizationID),
                .audit(privilege, at: location, granted: nil),
            ])
            return .noContent
        }
    }

    private func find(
        _ reference: Reference<LocationEntity>?, _ session: Session, _ caller: Caller
    ) async throws -> LocationID? {
        guard let reference else { return nil }
        let rows = try await session.query(.id(of: reference, in: caller.organizationID))
        guard let row = rows.first else { throw Problem.notFound }
        return LocationID(try row.uuid("id"))
    }

    // MARK: Holding

    private var ownEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/privileges", "List your privileges and where you hold them",
                for: [.teacher],
                answers: [
                    .json(
                        "The privileges, in the order of locations.", .object(PrivilegeShapes.own))
                ], handler: { try .object(try await database.query(.ownPrivileges, as: $1)) }),
            Endpoint(
                .get, "/v1/classes/{id}/privileges", "Find what you may do in a class you teach",
                for: [.teacher],
                answers: [.json("What you may do now.", .object(PrivilegeShapes.inClass))],
                handler: findInClass),
        ]
    }

    func findInClass(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ClassID = try request.id("id")
        return try .object(try await database.query(.privileges(in: id), as: caller))
    }
}

/// What a school can grant to teachers.
enum Privilege: String, CaseIterable {
    /// Make classes and change them.
    case makeClasses
    /// Reset the passwords of students in their classes; granted unless withdrawn.
    case resetPasswords

    static let words = allCases.map(\.rawValue)

    /// The one that the path names.
    init(_ request: Request) throws {
        guard let privilege = Privilege(rawValue: request.path("privilege")) else {
            throw Problem.notFound
        }
        self = privilege
    }
}
