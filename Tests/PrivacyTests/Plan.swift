import PrivacyRules

/// What somebody is to try at a moment.
struct Step: Sendable {
    let at: Moment
    /// Who tries it, where that is not told by the deed.
    let actor: PersonName?
    let deed: Deed

    var event: Event { Event(at: at, deed: deed) }
}

/// What is to happen in a random school. The same seed makes the same plan.
struct Plan: Sendable {
    /// Schools with this seed or a higher one finish what they begin: they show what takes too many of the others until
    /// it happens.
    static let firstThoroughSeed: UInt64 = 100_000

    let seed: UInt64
    /// Seats that are there from the start.
    var seats: [Deed] = []
    var steps: [Step] = []

    /// The last moment of all.
    var end: Moment { (steps.last?.at ?? 0) + 60 }

    /// - Parameter length: how many steps there are.
    init(seed: UInt64, length: Int = 70) {
        self.seed = seed
        var planner = Planner(seed: seed, isThorough: seed >= Self.firstThoroughSeed)
        seats = planner.seats()
        steps = (0..<length).map { planner.step($0) }
    }

    /// The same school with some of what happens.
    func keeping(_ steps: [Step]) -> Plan {
        var plan = self
        plan.steps = steps
        return plan
    }
}
