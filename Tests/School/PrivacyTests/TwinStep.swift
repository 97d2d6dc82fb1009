import HTTPWire

/// What the apps of all twins do next, or what happens to all of them.
enum TwinStep: Sendable {
    case call(TwinCall)
    /// The teacher locks the handouts, or lifts the lock.
    case locks(Bool)
    /// Student progress of the school.
    case switches(isOn: Bool)
    /// Saved contexts grow older, and outdated ones are removed.
    case daysPass(Int)
}

/// One call, the same bytes for each twin.
struct TwinCall: Sendable {
    let method: HTTPMethod
    let target: String
    let body: String
    /// How many more pages are requested.
    let pages: Int
    /// Whether it can show what an app saved for the teacher.
    let mayShowWhatIsTaught: Bool

    init(
        _ method: HTTPMethod, _ target: String, _ body: String = "", pages: Int = 0,
        mayShowWhatIsTaught: Bool = false
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.pages = pages
        self.mayShowWhatIsTaught = mayShowWhatIsTaught
    }
}

extension TwinStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .call(let call):
            "\(call.method.name) \(call.target)"
                + (call.body.isEmpty ? "" : " \(call.body.prefix(2000))")
        case .locks(let isLocked): isLocked ? "the handouts are locked" : "the lock is lifted"
        case .switches(let isOn): "student progress is \(isOn ? "on" : "off")"
        case .daysPass(let days): "\(days) days pass"
        }
    }
}

/// What happens to twins. The same seed makes the same plan.
struct TwinPlan: Sendable {
    let seed: UInt64
    var steps: [TwinStep]

    /// - Parameter length: the number of steps.
    init(seed: UInt64, length: Int = 60) {
        self.seed = seed
        var planner = TwinPlanner(seed: seed)
        steps = (0..<length).map { _ in planner.step() }
    }
}
