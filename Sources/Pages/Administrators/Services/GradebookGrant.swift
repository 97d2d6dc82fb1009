import JSONBytes
import Values

/// That a service account uses the gradebook of some classes, as `GET /v1/service-accounts/{id}/gradebook-grants` says.
struct GradebookGrant: Sendable {
    /// Which classes these are.
    enum Scope: Sendable, Equatable {
        case everything
        case location(String)
        case group(String)

        /// - Parameter value: as in forms and addresses.
        init?(_ value: String) {
            let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
            switch (parts.first, parts.dropFirst().first) {
            case ("all", nil): self = .everything
            case ("location", let id?): self = .location(id)
            case ("class", let id?): self = .group(id)
            default: return nil
            }
        }

        var value: String {
            switch self {
            case .everything: "all"
            case .location(let id): "location:\(id)"
            case .group(let id): "class:\(id)"
            }
        }
    }

    let scope: Scope
    let readsResults: Bool
    /// `nil` for a grant that is not made yet.
    var grantedAt: Timestamp?

    /// As the API takes it.
    private var body: JSONValue {
        var body = JSONObject([("readsResults", .bool(readsResults))])
        switch scope {
        case .everything: break
        case .location(let id): body["locationId"] = .text(id)
        case .group(let id): body["classId"] = .text(id)
        }
        return .object(body)
    }

    private static func call(_ visit: Visit) -> LocalPath {
        "/v1/service-accounts/\(visit["id"])/gradebook-grants"
    }

    /// All grants of the account that the page is about: the organization first, then locations, then classes.
    static func all(_ visit: Visit) async throws -> [GradebookGrant] {
        let found = try await visit.api.get(call(visit))
        return (found["items"]?.array ?? []).map { GradebookGrant($0) }
    }

    /// Makes these all grants of the account.
    static func set(_ grants: [GradebookGrant], _ visit: Visit) async throws {
        try await visit.api.put(call(visit), ["items": .array(grants.map(\.body))])
    }
}

extension GradebookGrant {
    fileprivate init(_ item: JSONValue) {
        if let id = item["classId"]?.text {
            scope = .group(id)
        } else if let id = item["locationId"]?.text {
            scope = .location(id)
        } else {
            scope = .everything
        }
        readsResults = item["readsResults"]?.bool == true
        grantedAt = item["grantedAt"]?.text.flatMap { Timestamp($0) }
    }
}

/// What a grant is or can be made for, with its name.
struct GradebookTarget: Sendable {
    let scope: GradebookGrant.Scope
    /// Empty for the whole organization.
    let name: String
    /// What tells a class from others of that name.
    let details: [String]

    static let everything = GradebookTarget(scope: .everything, name: "", details: [])

    init(scope: GradebookGrant.Scope, name: String, details: [String]) {
        self.scope = scope
        self.name = name
        self.details = details
    }

    init(location: (id: String, name: String)) {
        self.init(scope: .location(location.id), name: location.name, details: [])
    }

    init?(class item: JSONValue, _ locations: Locations) {
        guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
        let location = item["locationId"]?.text.flatMap { locations.name($0) }
        self.init(
            scope: .group(id), name: item["displayName"]?.text ?? name,
            details: [item["number"]?.text, location].compactMap { $0 })
    }

    /// `nil` if what was granted is gone meanwhile.
    static func load(
        _ scope: GradebookGrant.Scope, _ locations: Locations, _ visit: Visit
    ) async throws -> GradebookTarget? {
        switch scope {
        case .everything: return .everything
        case .location(let id):
            return locations.name(id).map { GradebookTarget(location: (id, $0)) }
        case .group(let id):
            do {
                let item = try await visit.api.get("/v1/classes/\(id)")
                return GradebookTarget(class: item, locations)
            } catch let refusal as Refusal where refusal.status == 404 {
                return nil
            }
        }
    }

    func title(_ texts: Texts) -> HTML {
        switch scope {
        case .everything: .text(texts(GrantText.everything))
        case .location: texts.html(GrantText.atLocation, ["location": written(name)])
        case .group: written(name)
        }
    }

    /// The same without markup.
    func plainTitle(_ texts: Texts) -> String {
        switch scope {
        case .everything: texts(GrantText.everything)
        case .location: texts(GrantText.atLocation, ["location": name])
        case .group: name
        }
    }

    /// What stands below the title.
    func below(_ texts: Texts) -> HTML {
        switch scope {
        case .everything, .location: .text(texts(GrantText.laterToo))
        case .group: dotted(details.map(written))
        }
    }
}
