import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// The people whom a device manager knows, under names of its own.
extension AppsAndBooks {
    var userEndpoints: [Endpoint] {
        [
            endpoint(
                .post, "users/create", "Register users by their managed IDs",
                answer: Self.accepted, cost: 5
            ) { request, caller in
                let users = try WantedUsers(try await request.json(maximumBytes: 1 << 20))
                return try await event(caller) { _ in .createUsers(users) }
            },
            endpoint(
                .post, "users/update", "Change registered users", answer: Self.accepted, cost: 5
            ) { request, caller in
                let users = try WantedUsers(try await request.json(maximumBytes: 1 << 20))
                return try await event(caller) { _ in .updateUsers(users) }
            },
            endpoint(
                .post, "users/retire", "Retire users and take their licences back",
                answer: Self.accepted, cost: 5
            ) { request, caller in
                let users = try WantedUsers(try await request.json(maximumBytes: 1 << 20))
                return try await event(caller) { _ in .retireUsers(users) }
            },
        ]
    }
}

/// The users that a request names.
struct WantedUsers: Sendable {
    struct User: Sendable {
        let clientUserID: String
        let email: String?
        let managedAppleID: String?

        init(_ value: JSONValue) throws {
            guard let id = value["clientUserId"]?.text, id.isName(of: 1...255) else {
                throw ContentRefusal(
                    .badArgument, "users: each has a clientUserId of 1 to 255 characters.")
            }
            clientUserID = id
            email = try Self.text(value["email"], .badEmail, id) {
                $0.isName(of: 3...320) && $0.contains("@")
            }
            managedAppleID = try Self.text(value["managedAppleId"], .badArgument, id) {
                $0.isName(of: 3...128)
            }
        }

        private static func text(
            _ value: JSONValue?, _ number: ContentError, _ id: String,
            _ isValid: (String) -> Bool
        ) throws -> String? {
            guard let value, !value.isNull else { return nil }
            guard let text = value.text, isValid(text) else {
                throw ContentRefusal(number, about: (.clientUserIds, [id]))
            }
            return text
        }

        /// As the functions of the database read it.
        var json: JSONValue {
            var object = JSONObject([("clientUserId", .text(clientUserID))])
            object["email"] = email.map(JSONValue.text)
            object["managedAppleId"] = managedAppleID.map(JSONValue.text)
            return .object(object)
        }
    }

    let users: [User]

    init(_ body: JSONValue) throws {
        guard let list = body["users"]?.array, !list.isEmpty else {
            throw ContentRefusal(.usersNeeded)
        }
        guard list.count <= ContentLimit.users else { throw ContentRefusal(.tooManyUsers) }
        users = try list.map { try User($0) }
        try WantedAssignments.checkDuplicates(
            users.map(\.clientUserID), .duplicateUsers, .clientUserIds)
    }

    fileprivate var document: JSONDocument {
        JSONDocument(JSONValue.array(users.map(\.json)).bytes)
    }
}

extension Statement {
    fileprivate static func createUsers(_ wanted: WantedUsers) -> Statement {
        "select school.create_content_users(\(wanted.document)) as event_id"
    }

    fileprivate static func updateUsers(_ wanted: WantedUsers) -> Statement {
        "select school.update_content_users(\(wanted.document)) as event_id"
    }

    fileprivate static func retireUsers(_ wanted: WantedUsers) -> Statement {
        "select school.retire_content_users(\(wanted.users.map(\.clientUserID))) as event_id"
    }
}
