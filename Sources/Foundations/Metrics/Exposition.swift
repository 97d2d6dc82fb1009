/// Writes metrics in the text format of Prometheus, version 0.0.4.
///
/// Each family is named once, with its help text and type, followed by its samples. Metric and label names are
/// literals; label values come from closed sets: never a person, an organization, an id, an address or a token.
package struct Exposition: Sendable {
    /// The media type of the output.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A label of a sample; the value may be any text and is escaped.
    package typealias Label = (name: StaticString, value: String)

    package private(set) var bytes: [UInt8] = []
    private var names: Set<String> = []
    private var family = ""
    private var kind = Kind.gauge

    package init() {
        bytes.reserveCapacity(32_768)
    }

    /// Begins a family; its samples follow. Counter names, and only those, end in `_total`.
    package mutating func begin(_ kind: Kind, _ name: StaticString, _ help: StaticString) {
        family = name.description
        self.kind = kind
        precondition(names.insert(family).inserted, "\(family) appears twice")
        precondition((kind == .counter) == family.hasSuffix("_total"), family)
        write("# HELP \(family) ")
        writeEscaped(help.description, quotes: false)
        write("\n# TYPE \(family) \(kind.rawValue)\n")
    }

    package mutating func sample(_ value: Int, _ labels: [Label] = []) {
        writeName("", labels)
        write(" \(value)\n")
    }

    /// A number with a fraction, such as seconds.
    package mutating func sample(_ value: Double, _ labels: [Label] = []) {
        writeName("", labels)
        write(" \(Exposition.text(value))\n")
    }

    /// A histogram's buckets, its sum in seconds and its count.
    package mutating func sample(_ tally: HistogramTally, _ labels: [Label] = []) {
        precondition(kind == .histogram, family)
        var sum = 0
        let bounds = tally.buckets.nanoseconds.map { Exposition.text(Double($0) / 1e9) } + ["+Inf"]
        for (bound, count) in zip(bounds, tally.counts) {
            sum += count
            writeName("_bucket", labels + [("le", bound)])
            write(" \(sum)\n")
        }
        writeName("_sum", labels)
        write(" \(Exposition.text(Double(tally.sumNanoseconds) / 1e9))\n")
        writeName("_count", labels)
        write(" \(sum)\n")
    }

    // MARK: Families with one sample

    package mutating func counter(_ name: StaticString, _ help: StaticString, _ value: Int) {
        begin(.counter, name, help)
        sample(value)
    }

    package mutating func gauge(_ name: StaticString, _ help: StaticString, _ value: Int) {
        begin(.gauge, name, help)
        sample(value)
    }

    package mutating func gauge(_ name: StaticString, _ help: StaticString, _ value: Double) {
        begin(.gauge, name, help)
        sample(value)
    }

    // MARK: Text

    private mutating func writeName(_ suffix: StaticString, _ labels: [Label]) {
        write(family)
        write(suffix.description)
        for (index, label) in labels.enumerated() {
            write(index == 0 ? "{" : ",")
            write(label.name.description)
            write("=\"")
            writeEscaped(label.value, quotes: true)
            write("\"")
        }
        if !labels.isEmpty { write("}") }
    }

    private mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Line feeds and backslashes are escaped everywhere, quotation marks only inside quotes.
    private mutating func writeEscaped(_ text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): write("\\n")
            case UInt8(ascii: "\\"): write("\\\\")
            case UInt8(ascii: "\"") where quotes: write("\\\"")
            default: bytes.append(byte)
            }
        }
    }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }
}
