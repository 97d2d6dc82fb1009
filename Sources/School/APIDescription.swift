import JSONBytes

/// What people need to know of the API besides its calls: the words of the API document.
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

    /// Of the program that serves the API.
    package let version: String
    /// What every client reads first, in CommonMark.
    package let overview: String
    /// Every code that a problem document may have, in the order of the alphabet.
    package let codes: [Code]
    /// Examples of values by the name of their field, or by `Object.field`, which goes first. An optional field is
    /// part of an example only where the second is there. Those of parameters stand behind `?name`.
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
