import JSONBytes
import Values

/// A handout as its student sees it in a list: all of its assignments together.
struct Piece: Sendable {
    let handoutID: String
    let title: String
    let classID: String
    let className: String
    let teachers: [MyTeacher]
    let dueAt: Timestamp?
    /// Of the student's teachers, that are not marked as read.
    let newComments: Int
    private(set) var taskCount = 0
    private(set) var doneCount = 0
    private(set) var isLate = false
    private(set) var isBeforeJoined = false
    private(set) var isOpened = false
    private(set) var isReturned = false
    private(set) var asksAgain = false
    private(set) var doneAt: Timestamp?
    /// Of the first task that has one.
    private(set) var picture: LocalPath?
    private var isCompleted = false

    /// Whether nothing is left to do.
    var isDone: Bool { isCompleted || doneCount == taskCount }

    /// For those without a due time.
    var sortAt: Timestamp { Timestamp(milliseconds: .max) }

    /// The handouts of all assignments, in the order in which they first occur.
    static func grouped(_ assignments: [JSONValue]) -> [Piece] {
        var pieces: [Piece] = []
        var positions: [String: Int] = [:]
        // One that was done between the two calls is in both lists.
        var seen: Set<String> = []
        for assignment in assignments {
            guard let id = assignment["handout"]?["id"]?.text,
                seen.insert(assignment["id"]?.text ?? "").inserted
            else { continue }
            if positions[id] == nil {
                positions[id] = pieces.count
                pieces.append(Piece(id, assignment))
            }
            if let position = positions[id] { pieces[position].add(assignment) }
        }
        return pieces
    }

    private init(_ id: String, _ assignment: JSONValue) {
        handoutID = id
        title = assignment["handout"]?["title"]?.text ?? ""
        classID = assignment["handout"]?["classId"]?.text ?? ""
        className = assignment["handout"]?["className"]?.text ?? ""
        teachers = assignment["handout"].map(MyTeacher.all) ?? []
        dueAt = assignment.moment("dueAt")
        newComments = assignment["handout"]?["newComments"]?.int64.map { Int($0) } ?? 0
    }

    private mutating func add(_ assignment: JSONValue) {
        taskCount += 1
        picture = picture ?? ContextPicture.address(of: assignment["target"])
        let done = assignment.moment("doneAt")
        if let done {
            doneCount += 1
            doneAt = max(doneAt ?? done, done)
        }
        // The API also calls late what was done too late; that is not to do any more.
        if done == nil, assignment["late"]?.bool == true { isLate = true }
        if assignment["beforeJoined"]?.bool == true { isBeforeJoined = true }
        if assignment.moment("openedAt") != nil { isOpened = true }
        if let returned = assignment["returned"], !returned.isNull {
            isReturned = true
            if returned["tryAgain"]?.bool == true, done == nil { asksAgain = true }
        }
        if assignment["completed"]?.bool == true { isCompleted = true }
    }
}
