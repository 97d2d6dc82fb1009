import Values

@testable import Postgres

/// Parameters: what is sent is what PostgreSQL's binary formats say, so reading it gives the same.
enum ParameterProperties {
    static func check(_ input: UnsafeRawBufferPointer) {
        var dice = SplitMix64(input)
        let texts = input.split(separator: 0, maxSplits: 20).map {
            String(decoding: $0, as: UTF8.self)
        }
        let numbers = (0..<3).map { _ in Int64(bitPattern: dice.next()) >> (dice.next() % 64) }
        let identifiers = (0..<2).map { _ in UUID(high: dice.next(), low: dice.next()) }
        let moments = numbers.map { Timestamp(milliseconds: $0 % 60_000_000_000_000) }
        let days = numbers.map { Day(daysSince1970: Int($0 % 700_000)) }
        var buffer = ParameterBuffer()
        let values: [PostgresValue] = [
            texts.postgresValue, numbers.postgresValue, identifiers.postgresValue,
            moments.postgresValue, days.postgresValue, .null(.text), .text(texts.joined()),
            .float8(Double(bitPattern: dice.next())),
        ]
        buffer.encode(values)
        let sent = bytes(of: &buffer)
        require(
            elements(sent[0]) { String(decoding: $0, as: UTF8.self) } == texts,
            "texts arrive unchanged")
        require(elements(sent[1], BinaryValue.integer) == numbers, "numbers arrive unchanged")
        require(elements(sent[2]) { UUID(bytes: $0) } == identifiers, "identifiers arrive")
        require(elements(sent[3], BinaryValue.timestamp) == moments, "moments arrive unchanged")
        require(elements(sent[4], BinaryValue.day) == days, "days arrive unchanged")
        require(sent[5] == nil, "null arrives as null")
        require(sent[6].map { $0 == Array(texts.joined().utf8) } == true, "a text arrives")
        let double = sent[7]?.withUnsafeBytes(BinaryValue.double)
        require(
            values[7] == .float8(double ?? 0) || double?.isNaN == true, "a double arrives unchanged"
        )
    }

    /// The bytes of each parameter; `nil` for null.
    private static func bytes(of buffer: inout ParameterBuffer) -> [[UInt8]?] {
        buffer.withPointers { count, pointers, lengths, _ in
            (0..<Int(count)).map { position in
                guard let pointers, let lengths, let start = pointers[position] else { return nil }
                return Array(
                    UnsafeRawBufferPointer(start: start, count: Int(lengths[position])))
            }
        }
    }

    /// The elements of an array of one dimension; `nil` if it is not one, or has another null.
    private static func elements<Element>(
        _ bytes: [UInt8]?, _ decode: (UnsafeRawBufferPointer) -> Element?
    ) -> [Element]? {
        bytes?.withUnsafeBytes { bytes -> [Element]? in
            guard var array = BinaryArray(bytes), array.dimensions.count < 2 else { return nil }
            var elements: [Element] = []
            for _ in 0..<(array.dimensions.first ?? 0) {
                guard case .some(.some(let bytes)) = array.next(), let element = decode(bytes)
                else { return nil }
                elements.append(element)
            }
            return elements
        }
    }
}
