import JSONBytes

/// Something in an app's content, as teachers browse it.
struct CatalogEntry: Sendable {
    let id: String
    let bundleID: String
    /// Below the app; empty for the app itself.
    let path: [String]
    let title: String
    /// In the app's own words; `nil` where `type` says it.
    let customType: String?
    let type: ContentType?
    let summary: String?
    let isAssignable: Bool
    let hasChildren: Bool
    let picture: LocalPath?
    let reports: [ProgressKind]
    let ages: (from: Int?, to: Int?)
    let minutes: (from: Int?, to: Int?)

    init?(_ item: JSONValue) {
        guard let id = item["id"]?.text, let bundleID = item["bundleId"]?.text,
            let title = item["title"]?.text
        else { return nil }
        self.id = id
        self.bundleID = bundleID
        path = (item["identifierPath"]?.array ?? []).compactMap(\.text)
        self.title = title
        customType = item["customTypeName"]?.text
        type = item["type"]?.text.flatMap(ContentType.init)
        summary = item["summary"]?.text?.nilIfEmpty
        isAssignable = item["isAssignable"]?.bool == true
        hasChildren = item["hasChildren"]?.bool == true
        picture = ContextPicture.address(of: item)
        reports = (item["progressReportingCapabilities"]?.array ?? []).compactMap {
            $0["kind"]?.text.flatMap(ProgressKind.init)
        }
        ages = Self.range(item["suggestedAge"])
        minutes = Self.range(item["suggestedCompletionTime"])
    }

    private static func range(_ value: JSONValue?) -> (from: Int?, to: Int?) {
        (value?[0]?.int64.map { Int($0) }, value?[1]?.int64.map { Int($0) })
    }

    /// The path as the catalog's calls take it.
    var pathText: String { Self.text(of: path) }

    static func text(of path: [String]) -> String {
        JSONValue.array(path.map(JSONValue.text)).description
    }

    /// The path that a text names; `nil` if it is not one.
    static func path(_ text: String) -> [String]? {
        guard let items = try? JSONValue(parsing: text).array else { return nil }
        let path = items.compactMap(\.text)
        return path.count == items.count ? path : nil
    }

    /// The apps of the school that have something to assign.
    static func apps(_ api: Client) async throws -> [CatalogEntry] {
        let page = try await api.get("/v1/catalog/apps?limit=1000")
        return (page["items"]?.array ?? []).compactMap(CatalogEntry.init)
    }

    /// Names of apps by their bundle ids.
    static func appNames(_ api: Client) async throws -> [String: String] {
        Dictionary(try await apps(api).map { ($0.bundleID, $0.title) }) { first, _ in first }
    }
}

/// What a context is.
enum ContentType: String, Sendable, CaseIterable {
    case app, audio, book, challenge, chapter, course, document, exercise, game, lesson, level
    case page, quiz, section, task, video
}

/// What an app reports about an activity.
enum ProgressKind: String, Sendable, CaseIterable {
    case duration, percent, binary, quantity, score
}

/// What contexts are about.
enum Topic: String, Sendable, CaseIterable {
    case artsAndMusic, computerScienceAndEngineering, healthAndFitness, literacyAndWriting
    case math, science, socialScience, worldLanguage
}
