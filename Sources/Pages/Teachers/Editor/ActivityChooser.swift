import HTTPServer
import HTTPWire
import JSONBytes

enum ChooserText: String, TextKey {
    case title, intro, search, words, topic, anyTopic, age, anyAge, atMost, anyTime, searchButton
    case apps, open, add, added, addedCount, backToHandout, upOne, more
    case noApps, noAppsAdvice, nothingHere, nothingFound, nothingFoundAdvice
    case errorWords, results
    case ages, agesFrom, agesTo, minuteRange, minutesFrom, minutesTo, reports
    case notAssignable, inApp
    case noticeAdded
    case typeApp, typeAudio, typeBook, typeChallenge, typeChapter, typeCourse, typeDocument
    case typeExercise, typeGame, typeLesson, typeLevel, typePage, typeQuiz, typeSection, typeTask
    case typeVideo
    case reportsDuration, reportsPercent, reportsBinary, reportsQuantity, reportsScore
    case topicArts, topicComputing, topicHealth, topicLiteracy, topicMath, topicScience
    case topicSocial, topicLanguage

    static let section = "chooser"
}

/// `/handouts/{id}/activities`: adds activities of apps to a handout, found by browsing or by searching.
enum ActivityChooser: Screen {
    static var pages: [Page] {
        [
            .get("/handouts/{id}/activities", for: .teacher) { visit in
                .view(view(try await load(visit), visit))
            },
            .post("/handouts/{id}/activities", for: .teacher, add),
            .get("/thumbnails/{id}", for: .person, picture),
        ]
    }

    /// What is looked at.
    struct Place: Sendable {
        /// The app that is open.
        let bundleID: String?
        /// Below the app.
        let path: [String]
        let words: String
        let topic: Topic?
        let age: Int?
        let minutes: Int?

        init(_ visit: Visit) {
            bundleID = visit.query("app")
            path = visit.query("path").flatMap(CatalogEntry.path) ?? []
            words = visit.query("q")?.trimmedSpace ?? ""
            topic = visit.query("topic").flatMap(Topic.init)
            age = visit.query("age").flatMap { Int($0) }
            minutes = visit.query("minutes").flatMap { Int($0) }
        }

        /// Whether something was searched for; the API asks for at least a word.
        var isSearch: Bool { !words.isEmpty || topic != nil || age != nil || minutes != nil }

        /// The call that lists what is here; `nil` for the apps.
        var call: LocalPath? {
            if isSearch {
                guard !words.isEmpty else { return nil }
                return LocalPath("/v1/catalog/search?q=\(words)&limit=60")
                    .with("topic", topic?.rawValue).with("age", age.map { "\($0)" })
                    .with("minutesMax", minutes.map { "\($0)" })
            }
            return bundleID.map { bundleID in
                "/v1/catalog/apps/\(bundleID)/contexts?path=\(CatalogEntry.text(of: path))&limit=60"
            }
        }
    }

    struct Content: Sendable {
        let handout: EditedHandout
        let apps: [CatalogEntry]
        let place: Place
        let entries: [CatalogEntry]
        let nextPage: String?
        /// What `place` is; `nil` for an app or a search.
        let parent: CatalogEntry?
    }

    static func load(_ visit: Visit) async throws -> Content {
        let api = visit.api
        let place = Place(visit)
        async let handout = EditedHandout.load(visit["id"], api)
        async let apps = CatalogEntry.apps(api)
        async let parent = Self.parent(of: place, api)
        var page = JSONValue.null
        if let call = place.call {
            page = try await api.get(call.with("pageToken", visit.query("page")))
        }
        return try await Content(
            handout: handout, apps: apps, place: place,
            entries: (page["items"]?.array ?? []).compactMap(CatalogEntry.init),
            nextPage: page["nextPageToken"]?.text, parent: parent)
    }

    /// The context that is open: its title is among the children of the one above it.
    private static func parent(of place: Place, _ api: Client) async throws -> CatalogEntry? {
        guard let bundleID = place.bundleID, !place.path.isEmpty, !place.isSearch else {
            return nil
        }
        let above = CatalogEntry.text(of: place.path.dropLast())
        let page = try await api.get(
            "/v1/catalog/apps/\(bundleID)/contexts?path=\(above)&limit=1000")
        return (page["items"]?.array ?? []).compactMap(CatalogEntry.init)
            .first { $0.path == place.path }
    }

    private static func add(_ form: Form, _ visit: Visit) async throws -> Answer {
        let path = CatalogEntry.path(form["path"]) ?? []
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        do {
            try await handout.adding(
                [
                    "kind": "appActivity", "bundleId": .text(form["bundleId"]),
                    "identifierPath": .array(path.map(JSONValue.text)),
                ], visit.api)
        } catch let refusal as Refusal where refusal.isForForm {
            let content = try await load(visit)
            let problem = TeachingText.sentence(refusal, visit.texts)
            return .view(view(content, problem: problem, visit).refused(refusal))
        }
        return .redirect(visit.address, notice: Notice(ChooserText.noticeAdded))
    }

    /// The picture of a context: pages cannot fetch it themselves, because only this server holds the token.
    private static func picture(_ visit: Visit) async throws -> Answer {
        let known = visit.request.headers["if-none-match"].map {
            [(name: "If-None-Match", value: $0)]
        }
        let answer = try await visit.api.ask(
            .get, "/v1/catalog/contexts/\(visit["id"])/thumbnail", headers: known ?? [])
        return .response(answer)
    }
}

extension ContentType {
    var word: ChooserText {
        switch self {
        case .app: .typeApp
        case .audio: .typeAudio
        case .book: .typeBook
        case .challenge: .typeChallenge
        case .chapter: .typeChapter
        case .course: .typeCourse
        case .document: .typeDocument
        case .exercise: .typeExercise
        case .game: .typeGame
        case .lesson: .typeLesson
        case .level: .typeLevel
        case .page: .typePage
        case .quiz: .typeQuiz
        case .section: .typeSection
        case .task: .typeTask
        case .video: .typeVideo
        }
    }
}

extension ProgressKind {
    var word: ChooserText {
        switch self {
        case .duration: .reportsDuration
        case .percent: .reportsPercent
        case .binary: .reportsBinary
        case .quantity: .reportsQuantity
        case .score: .reportsScore
        }
    }
}

extension Topic {
    var word: ChooserText {
        switch self {
        case .artsAndMusic: .topicArts
        case .computerScienceAndEngineering: .topicComputing
        case .healthAndFitness: .topicHealth
        case .literacyAndWriting: .topicLiteracy
        case .math: .topicMath
        case .science: .topicScience
        case .socialScience: .topicSocial
        case .worldLanguage: .topicLanguage
        }
    }
}
