import API
import School
import Values

/// The effect of a `PUT` or a `PATCH` on a handout.
struct HandoutEdit: Sendable {
    private let body: Fields
    /// A `PUT` resets what the body leaves out to its default; a `PATCH` leaves it.
    private let isWhole: Bool
    /// `nil` keeps the current tasks.
    let tasks: [NewTask]?
    private let maximumPoints: Points?

    init(_ body: Fields, isWhole: Bool) throws {
        self.body = body
        self.isWhole = isWhole
        maximumPoints = try Marking.maximum(body)
        tasks = isWhole || body.has("tasks") ? try [NewTask](body) : nil
    }

    private func changes(_ field: String) -> Bool { isWhole || body.has(field) }

    /// The class in the body, which cannot change.
    var classReference: Reference<ClassEntity>? { body.reference("classId") }
    /// Due at the end of this day.
    var dueOn: Day? { body.day("dueAt") }
    var changesRecipients: Bool { changes("recipients") }
    /// `nil` for the class.
    var recipients: [Reference<PersonEntity>]? {
        body.texts("recipients")?.compactMap { Reference($0) }
    }

    func title(of held: HeldHandout) -> String { body.text("title") ?? held.title }

    func instructions(of held: HeldHandout) -> String? {
        changes("instructions") ? body.text("instructions") : held.instructions
    }

    func maximumPoints(of held: HeldHandout) -> Points? {
        changes("marking") ? maximumPoints : held.maximumPoints
    }

    /// - Parameter endOfDay: the end of `dueOn` in the school's time zone.
    func dueAt(of held: HeldHandout, endOfDay: Timestamp?) -> Timestamp? {
        changes("dueAt") ? body.timestamp("dueAt") ?? endOfDay : held.dueAt
    }

    func checkEnvironment(of held: HeldHandout) throws {
        if let wanted = body.text("environment"), wanted != held.environment {
            throw Problem.fixed("/environment", "A handout stays in its environment.")
        }
    }

    /// When the handout is published; once published, that does not change. Taking that back makes it a draft again,
    /// which only its author sees, so no one else may do that. Whether a student has begun it by then, PostgreSQL looks.
    func publishAt(of held: HeldHandout, _ caller: Caller, now: Timestamp) throws -> Timestamp? {
        let wanted = body.timestamp("publishAt")
        if held.isPublished {
            let isUndone = body.has("publishAt") && wanted == nil && !isWhole
            let isPut = wanted.map { $0 > now && $0 != held.publishAt } ?? false
            if isPut { throw Problem.handoutPublished }
            if !isUndone { return held.publishAt }
        }
        guard changes("publishAt") else { return held.publishAt }
        if wanted == nil, held.publishAt != nil, held.authorID != caller.personID?.uuid {
            throw Problem.onlyAuthorsDraft
        }
        return wanted
    }
}
