import Testing

/// A page in the text format of Prometheus, version 0.0.4, read strictly: whatever a lenient reader would forgive is an
/// error.
struct MetricsPage {
    struct Sample {
        let name: String
        let labels: [(name: String, value: String)]
        let value: Double

        func label(_ name: String) -> String? { labels.first { $0.name == name }?.value }
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let text: String
    private(set) var samples: [Sample] = []
    /// By name, in their order.
    private(set) var families: [(name: String, kind: String)] = []

    init(parsing text: String) throws {
        self.text = text
        guard text.hasSuffix("\n") else { throw Malformed(description: "no line feed at the end") }
        let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        var helped: String?
        for line in lines {
            if line.hasPrefix("# HELP ") {
                helped = try Self.name(of: line.dropFirst(7))
            } else if line.hasPrefix("# TYPE ") {
                try begin(line.dropFirst(7), helped)
            } else {
                try take(line)
            }
        }
        try checkSeries()
        for family in families where family.kind == "histogram" { try checkBuckets(family.name) }
    }

    /// The sum of the samples of that name with at least those labels; throws if there is none.
    func value(_ name: String, _ labels: [String: String] = [:]) throws -> Double {
        let found = samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.label($0.key) == $0.value }
        }
        guard !found.isEmpty else { throw Malformed(description: "no \(name) \(labels)") }
        return found.reduce(0) { $0 + $1.value }
    }

    // MARK: Lines

    private static func name(of text: Substring) throws -> String {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let match = parts[0].wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/)
        else { throw Malformed(description: "no name with a text: \(text)") }
        return String(match.0)
    }

    private mutating func begin(_ text: Substring, _ helped: String?) throws {
        let name = try Self.name(of: text)
        let kind = String(text.dropFirst(name.count + 1))
        guard helped == name else { throw Malformed(description: "\(name) has no HELP before it") }
        guard ["counter", "gauge", "histogram"].contains(kind) else {
            throw Malformed(description: "\(name) is of kind \(kind)")
        }
        guard !families.contains(where: { $0.name == name }) else {
            throw Malformed(description: "\(name) occurs twice")
        }
        guard name.hasPrefix("homeroom_") || name.hasPrefix("process_"),
            (kind == "counter") == name.hasSuffix("_total")
        else { throw Malformed(description: "\(name) is not a name for a \(kind)") }
        families.append((name, kind))
    }

    private mutating func take(_ line: Substring) throws {
        guard let family = families.last,
            let match = line.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.+\})? ([^ ]+)/),
            let value = Self.number(match.3)
        else { throw Malformed(description: "no sample: \(line)") }
        let name = String(match.1)
        let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == name }) else {
            throw Malformed(description: "\(name) appears below \(family.name)")
        }
        let labels = try match.2.map { try Self.labels($0.dropFirst().dropLast()) } ?? []
        samples.append(Sample(name: name, labels: labels, value: value))
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.allSatisfy { "+-.e0123456789".contains($0) } ? Double(text) : nil
        }
    }

    /// `name="value"`, separated by single commas; in a value only `\\`, `\"` and `\n` are escapes.
    private static func labels(_ text: Substring) throws -> [(name: String, value: String)] {
        var labels: [(name: String, value: String)] = []
        var rest = text
        while true {
            guard
                let match = rest.prefixMatch(
                    of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/)
            else { throw Malformed(description: "no label: \(rest)") }
            let name = String(match.1)
            guard !name.hasPrefix("__"), !labels.contains(where: { $0.name == name }) else {
                throw Malformed(description: "the label \(name) is not allowed")
            }
            labels.append((name, String(match.2)))
            rest = rest[match.range.upperBound...]
            if rest.isEmpty { return labels }
            guard rest.popFirst() == "," else {
                throw Malformed(description: "no comma before \(rest)")
            }
        }
    }

    // MARK: The whole

    private func checkSeries() throws {
        var seen: Set<String> = []
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\($0.value)" }.sorted()
            guard seen.insert("\(sample.name) \(labels)").inserted else {
                throw Malformed(description: "\(sample.name) \(labels) occurs twice")
            }
        }
    }

    /// Bounds ascend and end with infinity, counts never fall, and the last one is the count.
    private func checkBuckets(_ family: String) throws {
        let counts = samples.filter { $0.name == family + "_count" }
        for count in counts {
            let own = { (sample: Sample) in
                count.labels.allSatisfy { sample.label($0.name) == $0.value }
            }
            let buckets = samples.filter { $0.name == family + "_bucket" && own($0) }
            let bounds = buckets.compactMap { $0.label("le").flatMap { Self.number($0[...]) } }
            let sums = samples.filter { $0.name == family + "_sum" && own($0) }
            guard bounds.count == buckets.count, bounds.last == .infinity,
                zip(bounds, bounds.dropFirst()).allSatisfy(<),
                zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value }),
                buckets.last?.value == count.value, sums.count == 1
            else { throw Malformed(description: "\(family) \(count.labels) does not add up") }
        }
    }
}
