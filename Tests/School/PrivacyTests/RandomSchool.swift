import Crypto
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// A random school inside the service: an organization of its own, whose plan is carried out by real calls.
///
/// Time passes by moving everything that is stored into the past, so that each call sees the real clock and an hour of
/// the plan takes no time.
final class RandomSchool {
    let service: TestSchool
    let plan: Plan
    let organization = OrganizationID(UUID.v7())
    let location = LocationID(UUID.v7())
    let term = TermID(UUID.v7())
    /// What was done: every step that the service accepted.
    private(set) var history: [Event] = []
    /// What was seen along the way that nobody may see, or done that nobody may do.
    var findings: [String] = []
    /// How many attempts were found on pages, each once for everyone who was shown it.
    var markCountOnPages = 0
    /// What the rules make of the history.
    private(set) var oracle = Oracle()
    var now: Moment { oracle.now }

    let people: [PersonName: PersonID]
    let classes: [ClassName: ClassID]
    var handouts: [HandoutName: HandoutID] = [:]
    var tasks: [TaskName: TaskID] = [:]
    /// The tool in whose tasks students work, and one without a task.
    let tool = UUID.v7()
    let idleTool = UUID.v7()
    /// The numbers of attempts that the tool reported: the service names them.
    var scoredAttempts: [UUID: Int] = [:]
    /// The line item that the tool made for a task, beside the task itself.
    var lineItems: [TaskName: UUID] = [:]
    /// Of each handout and task that was planned.
    let worlds: [HandoutName: World]
    /// The name behind each id in a row or an answer.
    var names: [UUID: String]

    let mark: Mark

    /// The moment 0 on the real clock.
    private let opening: Timestamp

    init(_ service: TestSchool, _ plan: Plan) throws {
        self.service = service
        self.plan = plan
        let everybody = Cast.learnersAndTeachers + Cast.others.map(\.name)
        people = Dictionary(uniqueKeysWithValues: everybody.map { ($0, PersonID(UUID.v7())) })
        classes = Dictionary(uniqueKeysWithValues: Cast.classes.map { ($0, ClassID(UUID.v7())) })
        names = Dictionary(uniqueKeysWithValues: people.map { ($0.value.uuid, $0.key.text) })
        for (name, id) in classes { names[id.uuid] = name.text }
        worlds = plan.steps.reduce(into: [:]) {
            switch $1.deed {
            case .gives(let handout): $0[handout.name] = handout.world
            case .copies(let name, let copy, _, _): $0[copy] = $0[name]
            default: break
            }
        }
        mark = Mark(school: plan.seed)
        opening = Clock.system.now
        try build()
        for deed in plan.seats { remember(Event(at: 0, deed: deed)) }
    }

    /// Carries out the plan to its end.
    func live() async throws {
        // Each hour that passes leaves another dead version of every row, and the previous schools did that, too.
        try service.sql("vacuum")
        for step in plan.steps { try await perform(step) }
        try advance(to: plan.end)
    }

    func remember(_ event: Event) {
        history.append(event)
        oracle.follow(event)
    }

    // MARK: Time

    func learn(_ owner: PersonName, of task: TaskName) { oracle.learn(owner, of: task) }

    /// Lets time pass until a moment.
    func advance(to moment: Moment) throws {
        guard moment > now else { return }
        try service.sql("select test.age(\(organization), \(Int32(moment - now)))")
        oracle.wait(until: moment)
    }

    /// A moment of the plan as a client would send it now, plus milliseconds.
    func text(_ moment: Moment, milliseconds: Int64 = 0) -> JSONValue {
        .text(timestamp(moment, milliseconds: milliseconds).description)
    }

    func timestamp(_ moment: Moment, milliseconds: Int64 = 0) -> Timestamp {
        Timestamp(
            milliseconds: opening.milliseconds + Int64(moment - now) * 60_000 + milliseconds)
    }

    // MARK: Names

    /// The name that apps choose for an attempt: the same for every student's attempt of that number.
    func id(_ activity: ActivityName) -> UUID {
        UUID(milliseconds: 1_790_000_000_000, random: (plan.seed, UInt64(activity.number)))
    }

    /// The name of an activity, from the name that the app chose and the student.
    func activity(_ id: UUID, of student: PersonName) -> ActivityName {
        ActivityName(student: student, number: scoredAttempts[id] ?? Int(id.low & 0xFFFF))
    }

    /// A person's token in a world; with an app, the app's.
    func token(_ person: PersonName, in world: World = .production, app: String? = nil) -> String {
        "token of \(person) in \(world) by \(app ?? "nobody") at \(organization.uuid)"
            .replacing(" ", with: "-")
    }

    /// The token of a service account.
    func token(_ service: Standing) -> String { token(PersonName(service.rawValue)) }
}
