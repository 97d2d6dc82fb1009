import JSONBytes
import RandomKit
import Testing
import Values

@Suite struct RoundTrip {
    @Test(arguments: seeds(0..<200))
    func `written values read back the same`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let value = dice.value()
        #expect(try JSONValue(parsing: value.bytes) == value)
        #expect(try JSONValue(parsing: value.bytes).bytes == value.bytes)
    }

    @Test(arguments: seeds(0..<20))
    func `every truncated document is an error`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let bytes = JSONValue.array([dice.value(), dice.value(), dice.value()]).bytes
        for end in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: bytes[..<end]) }
        }
    }

    @Test(arguments: seeds(0..<200))
    func `damaged bytes are read or refused, and never do worse`(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        var bytes = dice.value().bytes
        for _ in 0..<50 where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &dice)
            bytes[index] = dice.byte()
            if let value = try? JSONValue(parsing: bytes) {
                #expect(try JSONValue(parsing: value.bytes) == value)
            }
        }
        let noise = dice.bytes(100)
        _ = try? JSONValue(parsing: noise)
    }
}
