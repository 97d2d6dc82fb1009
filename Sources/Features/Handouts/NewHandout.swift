import API
import Crypto
import School
import Values

/// A handout as a teacher sends it.
struct NewHandout: Sendable {
    let id = HandoutID(UUID.v7())
    let classReference: Reference<ClassEntity>
    let title: String
    let instructions: String?
    /// `nil` for the class.
    let recipients: [Reference<PersonEntity>]?
    let publishAt: Timestamp?
    let dueAt: Timestamp?
    /// Due at the end of this day, if a day was sent instead of a time.
    let dueOn: Day?
    let environment: Environment
    /// The most points for it as a whole; `nil` if it is not marked as one.
    let maximumPoints: Points?
    let tasks: [NewTask]

    init(_ body: Fields, caller: Caller) throws {
        guard let classReference: Reference<ClassEntity> = body.reference("classId") else {
            throw Problem.unknownReference("/classId")
        }
        self.classReference = classReference
        title = body.text("title") ?? ""
        instructions = body.text("instructions")
        recipients = body.texts("recipients")?.compactMap { Reference($0) }
        publishAt = body.timestamp("publishAt")
        dueAt = body.timestamp("dueAt")
        dueOn = body.day("dueAt")
        environment = caller.environment
        if let wanted = body.text("environment"), wanted != environment.rawValue {
            throw Problem.fixed(
                "/environment", "A handout belongs to the environment of your token.")
        }
        maximumPoints = try Marking.maximum(body)
        tasks = try [NewTask](body)
    }
}
