/// Numbers, dates and lists as each language writes them.
extension Texts {
    /// A whole number with its thousands separated.
    package func number(_ value: Int) -> String {
        if (0..<1000).contains(value) { return String(value) }
        let digits = String(value.magnitude)
        let separator = language == .german ? "." : ","
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped += separator }
            grouped.append(digit)
        }
        return value < 0 ? "−" + grouped : grouped
    }

    /// A number with at most that many decimals, without zeros at its end.
    package func number(_ value: Double, decimals: Int = 1) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "\(value)" }
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * Double(scale)).rounded()
        guard scaled < 9e18 else { return "\(value)" }
        let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: scale)
        var digits = String(rest)
        digits = String(repeating: "0", count: decimals - min(decimals, digits.count)) + digits
        while digits.last == "0" { digits.removeLast() }
        let sign = value < 0 && scaled > 0 ? "−" : ""
        let mark = language == .german ? "," : "."
        return sign + number(whole) + (digits.isEmpty ? "" : mark + digits)
    }

    /// A share from 0 to 1 as whole percent.
    package func percent(_ share: Double) -> String {
        // The space does not break.
        "\(Int((share * 100).rounded()))\(language == .german ? "\u{A0}%" : "%")"
    }

    /// Seconds as hours and minutes; less than a minute counts as one.
    package func duration(seconds: Int) -> String { duration(minutes: minutes(of: seconds)) }

    /// Whole minutes; less than one counts as one.
    func minutes(of seconds: Int) -> Int { seconds == 0 ? 0 : max(1, (seconds + 30) / 60) }

    /// `27 min`, `2 h 5 min`.
    func duration(minutes: Int) -> String {
        guard minutes >= 60 else { return self(CommonText.minutes, ["m": number(minutes)]) }
        return self(
            CommonText.hoursAndMinutes, ["h": number(minutes / 60), "m": "\(minutes % 60)"])
    }

    /// Names and other things in a row.
    package func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        let comma = language == .japanese || language == .chinese ? "、" : ", "
        let before = items.dropLast().joined(separator: comma)
        switch language {
        case .english: return "\(before) and \(last)"
        case .german: return "\(before) und \(last)"
        case .japanese: return "\(before)、\(last)"
        case .chinese: return "\(before)和\(last)"
        }
    }

    /// The same with elements, such as names in their own direction.
    func list(_ items: [HTML]) -> HTML {
        let places = items.indices.map { "{\($0)}" }
        return .parts(
            (Template(list(places))?.pieces ?? []).map { piece in
                switch piece {
                case .text(let text): .text(text)
                case .value(let place): Int(place).map { items[$0] } ?? .nothing
                case .emphasis: .nothing
                }
            })
    }
}
