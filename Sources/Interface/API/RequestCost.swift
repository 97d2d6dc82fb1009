import JSONBytes

/// What a request costs of its caller's allowance: the cost that its call declares (1, or more for calls that read or
/// hash much), plus 1 for every ten items in the lists of its body, such as the activities of an upload.
enum RequestCost {
    private static let itemsPerUnit = 10

    /// What a body adds.
    static func items(of body: JSONValue) -> Int {
        let items =
            switch body {
            case .array(let items): items.count
            case .object(let object): object.members.reduce(0) { $0 + ($1.value.array?.count ?? 0) }
            default: 0
            }
        return cost(ofItems: items)
    }

    /// What a number of things costs that a call does at once.
    static func cost(ofItems count: Int) -> Int { count / itemsPerUnit }
}
