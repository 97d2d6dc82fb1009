import JSONBytes
import Values

/// A handout as its student has it.
struct MyHandout: Sendable {
    let id: String
    let title: String
    let instructions: String?
    let classID: String
    let className: String
    let teachers: [MyTeacher]
    let publishAt: Timestamp?
    let dueAt: Timestamp?
    let isLocked: Bool
    let isCompleted: Bool
    let tasks: [MyTask]

    init(_ handout: JSONValue) {
        id = handout["id"]?.text ?? ""
        title = handout["title"]?.text ?? ""
        instructions = handout["instructions"]?.text?.nilIfEmpty
        classID = handout["classId"]?.text ?? ""
        className = handout["className"]?.text ?? ""
        teachers = MyTeacher.all(handout)
        publishAt = handout.moment("publishAt")
        dueAt = handout.moment("dueAt")
        isLocked = handout["locked"]?.bool ?? false
        isCompleted = handout["completed"]?.bool ?? false
        tasks = (handout["assignments"]?.array ?? []).compactMap(MyTask.init)
    }

    /// Whether nothing more is recorded or can be marked as done.
    var isClosed: Bool { isLocked || isCompleted }
}

/// One task of a handout for its student: what the API calls an assignment.
struct MyTask: Sendable {
    let id: String
    let title: String
    /// How long to work in a timed app.
    let minutes: Int?
    /// Of a task that is a link.
    let url: String?
    /// Of a task in an app.
    let bundleID: String?
    /// What the tool is called, of a task in a tool.
    let toolName: String?
    let universalLink: String?
    let minimumVersion: String?
    let picture: LocalPath?
    let recordedSince: Timestamp?
    let state: MyState

    init?(_ assignment: JSONValue) {
        guard let id = assignment["id"]?.text, let task = assignment["task"] else { return nil }
        self.id = id
        title = task["title"]?.text ?? ""
        minutes = task["minutes"]?.int64.map { Int($0) }
        url = task["url"]?.text
        bundleID = task["bundleId"]?.text
        toolName = task["toolName"]?.text
        universalLink = assignment["target"]?["universalLinkURL"]?.text
        minimumVersion = assignment["target"]?["minimumBundleVersion"]?.text
        picture = ContextPicture.address(of: assignment["target"])
        recordedSince = assignment["recording"]?.moment("since")
        state = MyState(assignment)
    }

    /// Whether an app or a tool reports on it.
    var isReported: Bool { bundleID != nil || toolName != nil }

    /// What the app or the tool is called; `nil` for a link.
    func reporter(_ apps: MyApps) -> String? { toolName ?? bundleID.map { apps.name($0) } }

    /// The name of the server that a link leads to; `nil` if it is not a link for browsers.
    var host: String? {
        guard let url, let scheme = url.firstRange(of: "://") else { return nil }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        return authority.split(separator: "@").last.map(String.init)
    }
}

/// A teacher of a class of the student.
struct MyTeacher: Sendable, Hashable {
    let name: FullName

    /// Those whom a handout names.
    static func all(_ handout: JSONValue) -> [MyTeacher] {
        (handout["teachers"]?.array ?? []).compactMap { FullName($0).map { MyTeacher(name: $0) } }
    }
}

extension [MyTeacher] {
    /// `Rosa Delgado and Jonas Weiß`; nothing if there are none.
    func names(_ texts: Texts) -> HTML { texts.list(map { written($0.name.text) }) }
}

/// The names of apps, as far as the student has licences for them.
struct MyApps: Sendable {
    private let names: [String: String]

    init(_ licences: JSONValue) {
        let pairs = (licences["items"]?.array ?? []).compactMap { licence in
            licence["bundleId"]?.text.map { ($0, licence["name"]?.text ?? $0) }
        }
        names = Dictionary(pairs) { first, _ in first }
    }

    static func load(_ visit: Visit) async throws -> MyApps {
        MyApps(try await visit.api.get("/v1/me/licences?limit=1000"))
    }

    func isLicensed(_ bundleID: String) -> Bool { names[bundleID] != nil }

    /// The name, or the bundle id, which is all that is known of an app without a licence.
    func name(_ bundleID: String) -> String { names[bundleID] ?? bundleID }
}

/// Where a page of a student is: links to the pages above it.
func studentPath(_ texts: Texts, _ links: [(path: LocalPath, title: String)]) -> HTML {
    nav(.label(texts(MyHandoutText.path))) {
        ol(.class("crumbs")) {
            for item in links { li { a(.href(item.path), .dirAuto) { item.title } } }
        }
    }
}

/// A longer text that someone wrote, with its paragraphs and lines.
func writtenLines(_ text: String, _ style: String? = nil) -> HTML {
    parts {
        for paragraph in text.split(separator: "\n\n") {
            p(Attribute("class", style), .dirAuto) {
                for (index, line) in paragraph.split(separator: "\n").enumerated() {
                    if index > 0 { br() }
                    String(line)
                }
            }
        }
    }
}
