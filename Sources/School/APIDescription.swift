import JSONBytes

/// The parts of the API document that do not describe calls: overview, problem codes, examples.
package struct APIDescription: Sendable {
    /// A kind of problem: its stable code, and a sentence on what it means and what to do.
    package struct Code: Sendable {
        package let code: String
        package let meaning: String

        package init(_ code: String, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// The version of the program that serves the API.
    package let version: String
    /// The introduction, in CommonMark.
    package let overview: String
    /// Every code that a problem document may have, in alphabetical order.
    package let codes: [Code]
    /// Example values by field name, or by `Object.field`, which takes precedence. An optional field appears in an
    /// example only if it has an `Object.field` entry. Parameters are listed as `?name`.
    package let examples: [String: JSONValue]

    package init(
        version: String, overview: String, codes: [Code],
        examples: [String: JSONValue]
    ) {
        self.version = version
        self.overview = overview
        self.codes = codes.sorted { $0.code < $1.code }
        self.examples = examples
    }
}
