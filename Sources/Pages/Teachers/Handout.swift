import JSONBytes
import Values

/// A handout as its teacher sees it in a list.
struct Handout: Sendable {
    enum State: String, Sendable, CaseIterable {
        case draft, scheduled, published, locked, completed, archived
    }

    let id: String
    let title: String
    /// `nil` where the author was erased.
    let authorID: String?
    let state: State
    let dueAt: Timestamp?
    let publishAt: Timestamp?
    let lockedAt: Timestamp?
    let completedAt: Timestamp?
    let updatedAt: Timestamp?
    let taskCount: Int
    /// How many students were chosen; `nil` for the whole class.
    let chosenCount: Int?
    /// Only in lists that ask for it.
    let counts: Counts?

    init?(_ item: JSONValue) {
        guard let id = item["id"]?.text, let title = item["title"]?.text,
            let state = item["state"]?.text.flatMap(State.init(rawValue:))
        else { return nil }
        self.id = id
        self.title = title
        authorID = item["authorId"]?.text
        self.state = state
        dueAt = item.moment("dueAt")
        publishAt = item.moment("publishAt")
        lockedAt = item.moment("lockedAt")
        completedAt = item.moment("completedAt")
        updatedAt = item.moment("updatedAt")
        taskCount = item["tasks"]?.array?.count ?? 0
        chosenCount = item["recipients"]?.array?.count
        counts = Counts(item["counts"])
    }
}

extension Handout {
    /// Whether students have it, so that there is something to report.
    var isOut: Bool { state != .draft && state != .scheduled }
}

extension Handout.State {
    var word: ClassText {
        switch self {
        case .draft: .draft
        case .scheduled: .scheduled
        case .published: .published
        case .locked: .locked
        case .completed: .completed
        case .archived: .archived
        }
    }

    /// The word in the list of filters.
    var choice: ClassText {
        switch self {
        case .draft: .showDraft
        case .scheduled: .showScheduled
        case .published: .showPublished
        case .locked: .showLocked
        case .completed: .showCompleted
        case .archived: .showArchived
        }
    }

    var icon: Icon {
        switch self {
        case .draft: .draft
        case .scheduled: .scheduled
        case .published: .published
        case .locked: .locked
        case .completed: .completed
        case .archived: .file
        }
    }

    var tone: Tone {
        switch self {
        case .draft: .plain
        case .scheduled: .info
        case .published: .good
        case .locked: .warn
        case .completed, .archived: .line
        }
    }
}

extension JSONValue {
    /// A member that is a moment.
    func moment(_ name: String) -> Timestamp? { self[name]?.text.flatMap { Timestamp($0) } }
}
