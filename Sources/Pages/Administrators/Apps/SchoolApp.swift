import JSONBytes
import Values

enum AppsText: String, TextKey {
    case title, intro, new, name, kind, app, book, bought, held, free, waiting, works, worksNot
    case worksFilter, any, emptyTitle, emptyAdvice, forPerson, forClass
    case storeID, storeIDHint, bundleID, bundleIDHint, make, edit, save, errorTitle
    case errorExists, errorBundle, remove, removeTitle, removeDoes, assignedStill
    case noticeMade, noticeSaved, noticeRemoved, forDevices, stays

    static let section = "apps"
}

enum PoolText: String, TextKey {
    case waiting, waitingFor, waitingHint, give
    case title, location, bought, held, heldOf, freeAt, empty, none, setTitle, total, save
    case transferTitle, from, to, count, transfer, errorAssigned, errorNumber, errorFree, errorTitle
    case noticeSet, noticeMoved

    static let section = "pool"
}

enum LicenceText: String, TextKey {
    case holders, holder, since, pool, device, none, all, takeBack
    case giveTitle, person, personHint, schoolClass, noClass, devices, devicesHint, outOf, ownPool
    case give, allOrNone, errorTitle, errorNobody, errorSeveral, errorUnknown, errorFew
    case errorArchived
    case errorLocation, errorDeactivated, errorDevices, noticeGiven, noticeReturned, errorStays
    case onlyOf

    static let section = "licence"
}

/// An app or a book that the school bought, as `GET /v1/apps/{adamId}` says.
struct SchoolApp: Sendable {
    let id: String
    let name: String
    let isBook: Bool
    let bundleID: String?
    let works: Bool
    let isForDevices: Bool
    let isRevocable: Bool
    let bought: Int
    let held: Int
    let free: Int
    /// Students who are given the app and hold no licence of it; only lists say it.
    let waiting: Int

    init?(_ item: JSONValue) {
        guard let id = item["adamId"]?.text, let name = item["name"]?.text else { return nil }
        self.id = id
        self.name = name
        isBook = item["productType"]?.text == "Book"
        bundleID = item["bundleId"]?.text
        works = item["worksWithSchoolwork"]?.bool == true
        isForDevices = item["deviceAssignable"]?.bool == true
        isRevocable = item["revocable"]?.bool == true
        bought = Int(item["totalCount"]?.int64 ?? 0)
        held = Int(item["assignedCount"]?.int64 ?? 0)
        free = Int(item["availableCount"]?.int64 ?? 0)
        waiting = Int(item["waitingCount"]?.int64 ?? 0)
    }

    static func load(_ visit: Visit) async throws -> SchoolApp {
        guard let app = SchoolApp(try await visit.api.get("/v1/apps/\(visit["id"])")) else {
            throw UnexpectedDocument()
        }
        return app
    }

    func crumbs(_ texts: Texts) -> [(path: LocalPath, name: HTML)] {
        [("/apps", .text(texts(AppsText.title))), ("/apps/\(id)", written(name))]
    }
}

/// How many licences of an app a location has.
struct Pool: Sendable {
    let locationID: String
    let bought: Int
    let held: Int
    let free: Int
    /// Students in classes of the location who are given the app and hold no licence of it.
    let waiting: Int

    init?(_ item: JSONValue) {
        guard let location = item["locationId"]?.text else { return nil }
        locationID = location
        bought = Int(item["totalCount"]?.int64 ?? 0)
        held = Int(item["assignedCount"]?.int64 ?? 0)
        free = Int(item["availableCount"]?.int64 ?? 0)
        waiting = Int(item["waitingCount"]?.int64 ?? 0)
    }

    static func all(of id: String, _ visit: Visit) async throws -> [Pool] {
        try await Console.all("/v1/apps/\(id)/pools", visit.api).compactMap { Pool($0) }
    }
}
