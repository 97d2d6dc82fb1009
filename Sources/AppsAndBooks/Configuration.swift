import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// How much one request may name. Device managers read it before they ask.
enum ContentLimit {
    static let assets = 25
    static let users = 100
    static let clientUserIDs = 100
    static let serialNumbers = 100
    static let notification = 512
    static let managerID = 100
    static let managerName = 100
    static let managerMetadata = 255

    static let all: [(name: String, value: Int)] = [
        ("maxAssets", assets), ("maxUsers", users), ("maxClientUserIds", clientUserIDs),
        ("maxSerialNumbers", serialNumbers), ("maxRevokeClientUserIds", clientUserIDs),
        ("maxRevokeSerialNumbers", serialNumbers), ("maxNotificationLength", notification),
        ("maxMdmIdLength", managerID), ("maxMdmNameLength", managerName),
        ("maxMdmMetadataLength", managerMetadata),
    ]
}

/// What the service can, and what it knows of the device manager that asks.
extension AppsAndBooks {
    var configurationEndpoints: [Endpoint] {
        let answer = Endpoint.Answer.json("The configuration.", Self.configurationShape)
        return [
            Endpoint(
                open: .get, "\(Self.path)/service/config",
                "Read limits and addresses of Apps and Books",
                answers: [.json("The same for everyone.", Self.serviceShape)],
                handler: serviceConfiguration),
            endpoint(
                .get, "client/config", "Read the configuration of a device manager",
                answer: answer
            ) { request, caller in
                try await database.transaction(as: caller) { session in
                    configuration(try await library(session, caller), request)
                }
            },
            endpoint(
                .post, "client/config", "Say which device manager is in charge", answer: answer
            ) { request, caller in
                let wanted = try WantedConfiguration(
                    try await request.json(maximumBytes: 1 << 20))
                return try await database.transaction(as: caller) { session in
                    _ = try await library(session, caller)
                    if let manager = wanted.manager {
                        try await session.query(
                            .setManager(manager, of: caller.organizationID))
                    }
                    return configuration(try await library(session, caller), request)
                }
            },
        ]
    }

    private func configuration(_ library: ContentLibrary, _ request: Request) -> Response {
        var answer = library.common
        answer["countryISO2ACode"] = .text(library.country)
        answer["defaultPlatform"] = "volumestore"
        answer["locationName"] = .text(library.locationName)
        answer["subscribedNotificationTypes"] = []
        answer["websiteURL"] = .text(issuer.text(for: request))
        return .json(.object(answer))
    }

    private func serviceConfiguration(_ request: Request) -> Response {
        let root = issuer.text(for: request) + Self.path
        let urls = Self.addresses.map { ($0.name, JSONValue.text("\(root)/\($0.path)")) }
        let limits = ContentLimit.all.map { ($0.name, JSONValue(integerLiteral: Int64($0.value))) }
        return .json([
            "errorCodes": .array(
                ContentError.allCases.map {
                    [
                        "errorNumber": JSONValue(integerLiteral: Int64($0.rawValue)),
                        "errorMessage": .text($0.message),
                    ]
                }),
            "limits": .object(JSONObject(limits)), "notificationTypes": [],
            "urls": .object(JSONObject(urls)),
        ])
    }

    private static let addresses: [(name: String, path: String)] = [
        ("clientConfig", "client/config"), ("getAssets", "assets"),
        ("getAssignments", "assignments"), ("getUsers", "users"),
        ("associateAssets", "assets/associate"), ("disassociateAssets", "assets/disassociate"),
        ("revokeAssets", "assets/revoke"), ("createUsers", "users/create"),
        ("updateUsers", "users/update"), ("retireUsers", "users/retire"),
        ("eventStatus", "status"),
    ]

    // MARK: For the API document

    private static let notificationTypes = Field.required(
        "notificationTypes", .array(.text(1...100), count: 0...0),
        "Empty: Homeroom sends no notifications.")

    private static let serviceShape = Shape.fields(
        "ContentService",
        [
            .required(
                "errorCodes",
                .array(
                    .fields(
                        "ContentErrorCode",
                        [
                            .required("errorNumber", .integer(9600...9999)),
                            .required("errorMessage", .text(1...400)),
                        ]), count: 1...100)),
            .required("limits", .map(.integer(1...100_000)), "How much one request may name."),
            notificationTypes, .required("urls", .map(.text(1...4000))),
        ])

    private static let configurationShape = Shape.fields(
        "ContentConfiguration",
        ContentLibrary.fields + [
            .required("countryISO2ACode", .text(2...2)),
            .required("defaultPlatform", .word(["volumestore"])),
            .required("locationName", .line()),
            .required(
                "subscribedNotificationTypes", .array(.text(1...100), count: 0...0),
                "Empty: Homeroom sends no notifications, whatever was asked for."),
            .required("websiteURL", .text(1...4000)),
        ])
}

/// What a device manager says about itself. Where it wants notices is checked as Apple's API does and then left out:
/// none are sent, and the answer says so.
private struct WantedConfiguration {
    let manager: ContentManager?

    init(_ body: JSONValue) throws {
        guard let object = body.object else {
            throw ContentRefusal(.badArgument, "The body should be an object.")
        }
        if let info = object["mdmInfo"] {
            manager = try ContentManager(info)
        } else {
            manager = nil
        }
        try Self.checkNotices(object)
    }

    private static func checkNotices(_ object: JSONObject) throws {
        let (address, token) = (object["notificationUrl"], object["notificationAuthToken"])
        guard (address == nil) == (token == nil) else {
            throw ContentRefusal(.addressWithoutToken)
        }
        let types = object["notificationTypes"] ?? []
        guard let words = types.array, words.allSatisfy({ $0.text != nil }) else {
            throw ContentRefusal(.badArgument, "notificationTypes should be a list of words.")
        }
        guard let address, let token else { return }
        guard let url = address.text, let secret = token.text else {
            throw ContentRefusal(
                .badArgument, "notificationUrl and notificationAuthToken should be texts.")
        }
        guard max(url.utf8.count, secret.utf8.count) <= ContentLimit.notification else {
            throw ContentRefusal(.addressTooLong)
        }
        guard url.hasPrefix("https://"), url.utf8.count > 8 else {
            throw ContentRefusal(.badAddress)
        }
    }
}

/// Which device manager is in charge of a location, as it says itself.
struct ContentManager: Sendable {
    let id: String
    let name: String
    let metadata: String

    init(_ info: JSONValue) throws {
        func text(_ name: String) throws -> String {
            guard let text = info[name]?.text, !text.isEmpty,
                !text.unicodeScalars.contains(where: \.isControl)
            else { throw ContentRefusal(.incompleteManager) }
            return text
        }
        id = try text("id")
        name = try text("name")
        metadata = try text("metadata")
        func check(_ text: String, _ most: Int, _ number: ContentError) throws {
            guard text.unicodeScalars.count <= most else { throw ContentRefusal(number) }
        }
        try check(id, ContentLimit.managerID, .managerIDTooLong)
        try check(name, ContentLimit.managerName, .managerNameTooLong)
        try check(metadata, ContentLimit.managerMetadata, .metadataTooLong)
    }
}

extension Statement {
    fileprivate static func setManager(
        _ manager: ContentManager, of organization: OrganizationID
    ) -> Statement {
        """
        update school.content_library
           set mdm_id = \(manager.id), mdm_name = \(manager.name), mdm_metadata = \(manager.metadata)
         where organization_id = \(organization) and location_id = (select school.my_content_location())
        """
    }
}
