/// Two generations of values: what is not kept again while one fills up goes with the next.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var size = 0

    func value(for key: Key) -> Value? { young[key] ?? old[key] }

    /// - Parameters:
    ///   - more: the size of the value.
    ///   - most: the size of a generation, of which this value takes a part.
    mutating func keep(_ value: Value, for key: Key, size more: Int, most: Int) {
        if size + more > most {
            old = young
            young = [:]
            size = 0
        }
        young[key] = value
        size += more
    }
}
