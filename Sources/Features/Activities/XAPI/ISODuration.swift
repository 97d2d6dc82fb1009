/// A duration of ISO 8601, such as `PT1H30M` or `P1DT0.5S`. A year counts 365 days and a month 30.
struct ISODuration {
    let seconds: Double

    private struct Unit {
        let letter: UInt8
        let seconds: Double

        init(_ letter: Unicode.Scalar, _ seconds: Double) {
            self.letter = UInt8(ascii: letter)
            self.seconds = seconds
        }
    }

    private static let days = [
        Unit("Y", 31_536_000), Unit("M", 2_592_000), Unit("W", 604_800), Unit("D", 86_400),
    ]
    private static let times = [Unit("H", 3600), Unit("M", 60), Unit("S", 1)]

    /// `nil` for anything else. Only the last figure may have a fraction.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var units = Self.days[...]
        var isTime = false
        var seconds: Double?
        while let next = rest.first {
            if next == UInt8(ascii: "T"), !isTime {
                isTime = true
                units = Self.times[...]
                rest.removeFirst()
                guard !rest.isEmpty else { return nil }
                continue
            }
            guard let number = Self.number(from: &rest), let letter = rest.popFirst(),
                let index = units.firstIndex(where: { $0.letter == letter }),
                rest.isEmpty || !number.hasFraction
            else { return nil }
            seconds = (seconds ?? 0) + number.value * units[index].seconds
            units = units[(index + 1)...]
        }
        guard let seconds, seconds.isFinite else { return nil }
        self.seconds = seconds
    }

    /// Takes the digits at the beginning, with a point or a comma between them.
    private static func number(
        from rest: inout ArraySlice<UInt8>
    ) -> (value: Double, hasFraction: Bool)? {
        let digits = rest.prefix {
            (48...57).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",")
        }
        guard let last = digits.last, digits.count <= 40, (48...57).contains(last) else {
            return nil
        }
        let plain = digits.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        guard let value = Double(String(decoding: plain, as: UTF8.self)) else { return nil }
        rest = rest.dropFirst(digits.count)
        return (value, plain.contains(UInt8(ascii: ".")))
    }
}
