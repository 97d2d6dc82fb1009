import JSONBytes

/// The parts of the API document that do not describe calls: texts, problem codes, security schemes, examples.
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

    package let title: String
    /// One sentence on what the API is for.
    package let summary: String
    /// The version of the program that serves the API.
    package let version: String
    /// The introduction, in CommonMark.
    package let overview: String
    /// Every code that a problem document may have, in alphabetical order.
    package let codes: [Code]
    /// The security scheme objects by name; operations refer to them (`Operation.Scheme`).
    package let securitySchemes: JSONValue
    /// Shapes of path parameters by their name, or by the segment before them: `orders` in `/orders/{id}`. Others
    /// are text of 1 to 255 characters.
    package let pathShapes: [String: Shape]
    /// Example values by field name, or by `Object.field`, which takes precedence. An optional field appears in an
    /// example only if it has an `Object.field` entry. Parameters are listed as `?name`.
    package let examples: [String: JSONValue]

    package init(
        title: String, summary: String, version: String, overview: String, codes: [Code],
        securitySchemes: JSONValue, pathShapes: [String: Shape], examples: [String: JSONValue]
    ) {
        self.title = title
        self.summary = summary
        self.version = version
        self.overview = overview
        self.codes = codes.sorted { $0.code < $1.code }
        self.securitySchemes = securitySchemes
        self.pathShapes = pathShapes
        self.examples = examples
    }
}
