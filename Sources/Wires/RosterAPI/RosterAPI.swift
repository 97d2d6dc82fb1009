import API
import HTTPServer
import HTTPWire
import Postgres
import School
import Values

/// People and classes for systems that read Apple School Manager: the calls of Apple's Roster API, version 1.
///
/// Who sees what is decided by the policies of the directory; a roster reader's are in `SQL/policies/oneroster.sql` and
/// `SQL/policies/roster_api.sql`.
package struct RosterAPI: Feature {
    package let meaning =
        """
        People, classes and locations for systems that already read them from Apple School Manager. Paths, parameters \
        and answers are those of Apple’s Roster API, version 1.
        """
    static let path = "/rosterapi/v1"
    static let usersScope = "edu.users.read"
    static let classesScope = "edu.classes.read"

    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        [
            endpoint(
                "organization", "Read the organization (Roster API)",
                .json("The organization.", .object(RosterShapes.organization)),
                for: Standing.directoryReaders + [.rosterReader]
            ) { request, caller in
                try await single(.rosterOrganization(caller.organizationID), caller)
            },
            endpoint(
                "locations", "List locations (Roster API)", RosterShapes.locations,
                query: Endpoint.Parameter.page
            ) { request, caller in
                try await list("locations", request, caller) { range in
                    .rosterLocations(range, in: caller.organizationID)
                }
            },
            endpoint(
                "locations/{locationId}", "Read a location (Roster API)",
                .json("The location.", .object(RosterShapes.location))
            ) { request, caller in
                let location: Reference<LocationEntity> = try request.reference("locationId")
                return try await single(
                    .rosterLocations(.only(location), in: caller.organizationID), caller)
            },
        ] + userEndpoints + classEndpoints
    }

    package var refusals: [(below: String, refusal: Endpoint.Refusal)] {
        [("\(Self.path)/", { RosterRefusal($0).response })]
    }

    /// A call of Apple's, for those who read the directory.
    ///
    /// - Parameter scopes: of which a limited token needs one.
    private func endpoint(
        _ path: String, _ summary: String, _ answer: Endpoint.Answer,
        query: [Endpoint.Parameter] = [],
        for standings: [Standing] = Standing.directoryReaders + [.teacher, .rosterReader],
        scopes: [String] = [usersScope, classesScope], handler: @escaping Endpoint.Handler
    ) -> Endpoint {
        Endpoint(
            .get, "\(Self.path)/\(path)", summary, for: standings, query: query,
            answers: [answer] + RosterRefusal.answers(isSingle: path.contains("{")),
            cost: query.isEmpty ? 1 : 2, reads: .replica, scopes: scopes, handler: handler)
    }

    // MARK: Users and classes

    private var userEndpoints: [Endpoint] {
        [
            endpoint(
                "users", "List users (Roster API)", RosterShapes.users,
                query: Endpoint.Parameter.page + [RosterShapes.role], scopes: [Self.usersScope]
            ) { request, caller in
                let role = request.query("role")
                return try await list(
                    "users", request, caller,
                    ofTeacher: "school.my_taught_person_ids() || school.my_person()"
                ) { range in
                    .rosterUsers(range, holding: role, in: caller.organizationID)
                }
            },
            endpoint(
                "users/{userId}", "Read a user (Roster API)",
                .json("The user.", .object(RosterShapes.user)), scopes: [Self.usersScope]
            ) { request, caller in
                let person: Reference<PersonEntity> = try request.reference("userId")
                return try await single(
                    .rosterUsers(.only(person), in: caller.organizationID), caller)
            },
        ]
    }

    private var classEndpoints: [Endpoint] {
        [
            endpoint(
                "classes", "List classes (Roster API)", RosterShapes.classes,
                query: Endpoint.Parameter.page, scopes: [Self.classesScope]
            ) { request, caller in
                try await list(
                    "classes", request, caller, ofTeacher: "school.my_taught_class_ids()"
                ) { range in
                    .rosterClasses(range, in: caller.organizationID)
                }
            },
            endpoint(
                "classes/{classId}", "Read a class (Roster API)",
                .json("The class.", .object(RosterShapes.class)), scopes: [Self.classesScope]
            ) { request, caller in
                let group: Reference<ClassEntity> = try request.reference("classId")
                return try await single(
                    .rosterClasses(.only(group), in: caller.organizationID), caller)
            },
            endpoint(
                "classes/{classId}/users", "List users of a class (Roster API)",
                RosterShapes.users, query: Endpoint.Parameter.page + [RosterShapes.roleInClass],
                scopes: [Self.classesScope], handler: usersOfClass),
        ]
    }

    /// The answer says who somebody is and in which class: a limited token needs both scopes.
    private func usersOfClass(_ request: Request, _ caller: Caller) async throws -> Response {
        if let scopes = caller.scopes, !scopes.contains(Self.usersScope) {
            throw Problem.forbidden(
                "This token needs the scopes \(Self.usersScope) and \(Self.classesScope).")
        }
        let group: Reference<ClassEntity> = try request.reference("classId")
        let found = try await database.query(
            .openClass(group, in: caller.organizationID), as: caller)
        guard let row = found.first else { throw Problem.notFound }
        let id = ClassID(try row.uuid("id"))
        let role = request.query("role")
        return try await list("users", request, caller) { range in
            .rosterUsers(range, of: id, as: role, in: caller.organizationID)
        }
    }

    // MARK: Answers

    /// - Parameter reachable: the ids of all that a teacher may read, in SQL.
    private func list<Entity>(
        _ key: String, _ request: Request, _ caller: Caller,
        ofTeacher reachable: Statement? = nil,
        _ statement: (RosterRange<Entity>) -> Statement
    ) async throws -> Response {
        let page = try request.page()
        let range = RosterRange<Entity>.page(
            after: try page.afterID(), limit: page.limitPlusOne,
            reaching: caller.standing == .teacher ? reachable : nil)
        let rows = try await database.longQuery(statement(range), as: caller)
        return try RosterAnswer.list(rows, key: key, page, request)
    }

    private func single(_ statement: Statement, _ caller: Caller) async throws -> Response {
        try RosterAnswer.single(try await database.query(statement, as: caller))
    }
}
