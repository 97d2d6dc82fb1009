import PrivacyRules

/// What is to be tried at a moment.
struct Step: Sendable {
    let at: Moment
    /// Who tries it, if the deed does not say.
    let actor: PersonName?
    let deed: Deed

    var event: Event { Event(at: at, deed: deed) }
}

/// What is to happen in a random school. The same seed makes the same plan.
struct Plan: Sendable {
    /// Schools with this seed or a higher one finish what they begin: they show what takes too long to happen in most
    /// others.
    static let firstThoroughSeed: UInt64 = 100_000

    let seed: UInt64
    /// Seats that exist from the start.
    var seats: [Deed] = []
    var steps: [Step] = []

    /// The last moment of all.
    var end: Moment { (steps.last?.at ?? 0) + 60 }

    /// - Parameter length: the number of steps.
    init(seed: UInt64, length: Int = 70) {
        self.seed = seed
        var planner = Planner(seed: seed, isThorough: seed >= Self.firstThoroughSeed)
        seats = planner.seats()
        var tools = ToolPlanner(seed: seed, seats: seats)
        // Between the others, and without anything that these know of: they stay as they were.
        steps = (0..<length).flatMap { number in
            let step = planner.step(number)
            return [step] + tools.steps(at: step.at)
        }
    }

    /// The same school with only some of its events.
    func keeping(_ steps: [Step]) -> Plan {
        var plan = self
        plan.steps = steps
        return plan
    }
}
