import JSONBytes
import Testing

@Suite struct RoundTrip {
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `what is written reads back as the same`(seed: UInt64) throws {
        var dice = Dice(state: seed)
        let value = dice.value()
        #expect(try JSONValue(parsing: value.bytes) == value)
        #expect(try JSONValue(parsing: value.bytes).bytes == value.bytes)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every document cut short is an error`(seed: UInt64) throws {
        var dice = Dice(state: seed)
        let bytes = JSONValue.array([dice.value(), dice.value(), dice.value()]).bytes
        for end in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: bytes[..<end]) }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `damaged bytes are read or refused, and never do worse`(seed: UInt64) throws {
        var dice = Dice(state: seed)
        var bytes = dice.value().bytes
        for _ in 0..<50 where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &dice)
            bytes[place] = UInt8(truncatingIfNeeded: dice.next())
            if let value = try? JSONValue(parsing: bytes) {
                #expect(try JSONValue(parsing: value.bytes) == value)
            }
        }
        let noise = (0..<100).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        _ = try? JSONValue(parsing: noise)
    }
}
