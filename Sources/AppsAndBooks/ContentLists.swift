import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Which assets are listed.
struct AssetFilter: Sendable {
    let adamID: String?
    let productType: String?
    let pricing: String?
    let isRevocable: Bool?
    let isForDevices: Bool?
    let available: (least: Int?, most: Int?)
    let assigned: (least: Int?, most: Int?)

    init(_ request: Request) {
        adamID = request.query("adamId")
        productType = request.query("productType")
        pricing = request.query("pricingParam")
        isRevocable = request.queryBoolean("revocable")
        isForDevices = request.queryBoolean("deviceAssignable")
        available = (
            request.queryInteger("minAvailableCount"), request.queryInteger("maxAvailableCount")
        )
        assigned = (
            request.queryInteger("minAssignedCount"), request.queryInteger("maxAssignedCount")
        )
    }

    private static let count = Shape.integer(0...1_000_000_000)

    static let parameters: [Operation.Parameter] = [
        .optional("adamId", .text(1...20), "Only this asset."),
        .optional("productType", .word(["App", "Book"]), "Only of this type."),
        .optional(
            "pricingParam", .word(ContentAsset.pricings),
            "Only of this quality; every licence here is STDQ."),
        .optional("revocable", .boolean, "Only those that can be taken back, or cannot."),
        .optional("deviceAssignable", .boolean, "Only those that devices can hold, or cannot."),
        .optional("minAvailableCount", count, "Only with that many free licences or more."),
        .optional("maxAvailableCount", count, "Only with that many free licences or fewer."),
        .optional("minAssignedCount", count, "Only with that many assigned licences or more."),
        .optional("maxAssignedCount", count, "Only with that many assigned licences or fewer."),
    ]
}

/// Assets, assignments and users.
extension AppsAndBooks {
    var listEndpoints: [Endpoint] {
        [
            endpoint(
                .get, "assets", "List assets",
                query: [ContentPage.parameter] + AssetFilter.parameters,
                answer: ContentPage.answer(
                    "assets", of: ContentShapes.asset, "The apps and books of the location."),
                cost: 2
            ) { request, caller in
                let filter = AssetFilter(request)
                return try await list("assets", ContentPage(request), caller) { page in
                    .assets(filter, page, in: caller.organizationID)
                }
            },
            endpoint(
                .get, "assignments", "List assignments",
                query: [
                    ContentPage.parameter, ContentVersion.parameter,
                    .optional("adamId", .text(1...20), "Only of this asset."),
                    .optional("clientUserId", .text(1...255), "Only of this user."),
                    .optional("serialNumber", .text(1...64), "Only of this device."),
                ],
                answer: ContentPage.answer(
                    "assignments", of: ContentShapes.assignment,
                    "Who and which devices have a licence."), cost: 5
            ) { request, caller in
                let filter = try AssignmentFilter(request)
                return try await list("assignments", ContentPage(request), caller) { page in
                    .assignments(filter, page, in: caller.organizationID)
                }
            },
            endpoint(
                .get, "users", "List the users of a device manager",
                query: [
                    ContentPage.parameter, ContentVersion.parameter,
                    .optional("clientUserId", .text(1...255), "Only this user."),
                    .optional("activeOnly", .boolean, "Only those that are not retired."),
                    .optional("retiredOnly", .boolean, "Only those that are retired."),
                ],
                answer: ContentPage.answer(
                    "users", of: ContentShapes.user, "Who is registered."), cost: 5
            ) { request, caller in
                let filter = try UserFilter(request)
                return try await list("users", ContentPage(request), caller) { page in
                    .users(filter, page, in: caller.organizationID)
                }
            },
        ]
    }

    /// A page of a list.
    ///
    /// The version is read before the items: what is written in between is on the page, and makes the version of the
    /// next one another.
    ///
    /// - Parameter statement: for a page its rows, and for `nil` one row with the `total`.
    private func list(
        _ key: String, _ page: ContentPage, _ caller: Caller,
        _ statement: @Sendable (ContentPage?) -> Statement
    ) async throws -> Response {
        let statements = [
            Statement.library(of: caller.organizationID), statement(nil), statement(page),
        ]
        return try await database.read(as: caller) { session in
            let results = try await session.query(statements)
            let library = try ContentLibrary(results[0], caller, now: database.clock.now)
            return try page.response(
                results[2], key: key, total: try results[1][0].int("total"), library)
        }
    }
}

/// Which assignments are listed.
struct AssignmentFilter: Sendable {
    let adamID: String?
    let clientUserID: String?
    /// In upper case.
    let serialNumber: String?
    let since: ContentVersion?

    init(_ request: Request) throws {
        adamID = request.query("adamId")
        clientUserID = request.query("clientUserId")
        serialNumber = request.query("serialNumber")?.uppercased()
        since = try ContentVersion(request)
    }
}

/// Which users are listed.
struct UserFilter: Sendable {
    let clientUserID: String?
    let isRetired: Bool?
    let since: ContentVersion?

    init(_ request: Request) throws {
        clientUserID = request.query("clientUserId")
        let active = request.queryBoolean("activeOnly") ?? false
        let retired = request.queryBoolean("retiredOnly") ?? false
        guard !(active && retired) else {
            throw ContentRefusal(.badArgument, "activeOnly and retiredOnly exclude each other.")
        }
        isRetired = active ? false : retired ? true : nil
        since = try ContentVersion(request)
    }
}
