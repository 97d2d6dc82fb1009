import Contract
import JSONBytes
import Values

/// A handout's report: its tasks, its students, and what each student did at each task.
struct HandoutReport: Sendable {
    struct Task: Sendable {
        let id: String
        let title: String
        let primaryKind: String?
        let averageProgress: Double?
        let averageSeconds: Double?
        let studentsWithData: Int
        let average: ItemAverage
        /// What every student did, in the order of `students`.
        fileprivate(set) var works: [TaskWork] = []

        /// The primary items of the students' latest attempts.
        var items: [ActivityItem] { works.compactMap(\.item) }
    }

    struct Student: Sendable, Equatable {
        let id: String
        let name: String

        init(_ student: JSONValue) {
            id = student["personId"]?.text ?? ""
            name = FullName(student)?.text ?? ""
        }
    }

    /// A student with what he or she did at each task.
    struct Row: Sendable {
        let student: Student
        let works: [TaskWork]

        /// For the handout as a whole, which the cells of all tasks repeat.
        var mark: Document<ReportedMark>? { works.first?.handoutMark }
        var isDone: Bool { works.allSatisfy(\.isDone) }
        var isLate: Bool { works.contains(where: \.isLate) }
        /// It was due before the student joined, so that the student does not count.
        var isBeforeJoined: Bool { works.contains(where: \.isBeforeJoined) }
        var hasSeveralAttempts: Bool { works.contains { $0.attempts > 1 } }
    }

    let title: String
    let dueAt: Timestamp?
    let generatedAt: Timestamp?
    let tasks: [Task]
    /// By name.
    let rows: [Row]
    let notes: [ReportNote]
    /// From where on it can be followed; `nil` if it cannot.
    let position: String?

    init(_ report: JSONValue) {
        title = report["handout"]?["title"]?.text ?? ""
        dueAt = report["handout"]?.moment("dueAt")
        generatedAt = report.moment("generatedAt")
        let documents = report["tasks"]?.array ?? []
        let tasks = documents.map(Task.init)
        self.tasks = tasks
        // Every task lists the same students in the same order.
        let students = documents.first?["students"]?.array ?? []
        rows = students.indices.map { index in
            Row(
                student: Student(students[index]),
                works: tasks.compactMap { $0.works.indices.contains(index) ? $0.works[index] : nil }
            )
        }
        notes = (report["notes"]?.array ?? []).compactMap { ReportNote($0) }
        position = report["position"]?.text
    }

    /// Those who have it to do.
    var studentsCounted: Int { rows.count { !$0.isBeforeJoined } }
    var studentsDone: Int { rows.count { $0.isDone && !$0.isBeforeJoined } }
    /// With something to do that is over. Nobody counts here and among those who are done.
    var studentsOverdue: Int { rows.count { $0.isLate && !$0.isDone } }
    /// Of those who are done.
    var studentsDoneLate: Int { rows.count { $0.isLate && $0.isDone } }
    var studentsOff: Int { rows.count { $0.works.contains(where: \.isProgressOff) } }
}

extension HandoutReport.Task {
    fileprivate init(_ task: JSONValue) {
        let average = task["classAverage"]
        id = task["taskId"]?.text ?? ""
        title = task["title"]?.text ?? ""
        primaryKind = task["primaryKind"]?.text
        averageProgress = average?["progress"]?.double
        averageSeconds = average?["durationSeconds"]?.double
        studentsWithData = average?["studentsWithData"]?.int64.map { Int($0) } ?? 0
        self.average = ItemAverage(average)
        works = (task["students"]?.array ?? []).map(TaskWork.init)
    }
}

/// What is missing in a report, and why.
struct ReportNote: Sendable {
    enum Code: String, Sendable {
        case mixedPrimaryKinds = "mixed_primary_kinds"
        case progressOff = "progress_off"
        case nothingReported = "nothing_reported"
        case contextWithdrawn = "context_withdrawn"
        case noLicence = "no_licence"
        case attemptLimit = "attempt_limit"
        case progressRemoved = "progress_removed"
    }

    let code: Code
    /// `nil` if it is about the whole report.
    let taskID: String?

    init?(_ note: JSONValue) {
        guard let code = note["code"]?.text.flatMap(Code.init(rawValue:)) else { return nil }
        self.code = code
        taskID = note["taskId"]?.text
    }

    /// The sentence about a task; `nil` for what is not about one.
    private var sentence: ReportText? {
        switch code {
        case .mixedPrimaryKinds: .noteMixed
        case .nothingReported: .noteNothing
        case .contextWithdrawn: .noteWithdrawn
        case .noLicence: .noteLicence
        case .attemptLimit: .noteLimit
        case .progressRemoved: .noteRemoved
        case .progressOff: nil
        }
    }

    /// The box with all notes; nothing if nothing is missing.
    ///
    /// - Parameters:
    ///   - tasks: the titles of the tasks by id.
    ///   - off: how many students are not recorded, of how many.
    static func box(
        _ notes: [ReportNote], tasks: [String: String], off: (count: Int, of: Int), _ texts: Texts
    ) -> HTML {
        let silent = notes.filter { $0.code == .nothingReported }
        let isAllSilent = !tasks.isEmpty && silent.count == tasks.count
        let said = isAllSilent ? notes.filter { $0.code != .nothingReported } : notes
        var sentences: [HTML] = isAllSilent ? [.text(texts(ReportText.nothingYet))] : []
        if off.count > 0 {
            let all = ["all": texts.number(off.of)]
            sentences.append(.text(texts(ReportText.noteOff, count: off.count, all)))
        }
        for note in said {
            guard let sentence = note.sentence, let task = note.taskID.flatMap({ tasks[$0] }) else {
                continue
            }
            sentences.append(texts.html(sentence, ["task": written(task)]))
        }
        guard !sentences.isEmpty else { return .nothing }
        return notice(.warn, .info) {
            h2 { texts(ReportText.noteTitle) }
            ul { for sentence in sentences { li { sentence } } }
        }
    }
}
