import HTTPWire
import JSONBytes

/// One call of an HTTP API as its clients see it: its purpose, who may make it, its input and output.
///
/// The API document is made from these declarations, and requests are checked against them. A class, so that the
/// requests of a call share its declaration instead of copying it.
package final class Operation: Sendable {
    /// What a call does with an idempotency key.
    package enum Keys: Sendable {
        /// The call takes effect once per key, and a repetition gets the same answer.
        case honoured
        /// The answer contains a secret, which is not kept for a second answer: 400.
        case refused
        /// A key has no meaning here: repeating the call does no more than the first call did.
        case ignored
    }

    /// How callers show who they are.
    package enum Access: Sendable {
        /// Anyone may call, without a token.
        case anyone
        /// With a token that is checked before the call, under any one of the schemes.
        case token([Scheme])
        /// With a token that the call itself checks.
        case ownToken(Scheme)
    }

    /// A security scheme of the API document by its name, and the scopes that a call needs of it.
    package struct Scheme: Sendable {
        package let name: String
        package let scopes: [String]

        package init(_ name: String, scopes: [String] = []) {
            self.name = name
            self.scopes = scopes
        }
    }

    package enum Body: Sendable {
        case none
        /// A JSON document of the shape, at most 1 MiB.
        case json(Shape)
        /// The same, but optional.
        case jsonIfAny(Shape)
        /// A JSON document of its own media type, the first of these, or of another one that is also taken, at most as
        /// long as the handler reads.
        case document([String], Shape)
        /// `application/x-www-form-urlencoded`, at most 16 KiB, with these fields.
        case form([Field])
        /// Bytes of one of the media types, which a handler pulls; the limit is in bytes.
        case stream([String], maximumBytes: Int)
    }

    /// An answer that is not a problem.
    package struct Answer: Sendable {
        package let status: Int
        package let meaning: String
        /// Shapes by media type; `nil` if it is not JSON.
        package let content: [(mediaType: String, shape: Shape?)]
        package var headers: [Header] = []
        /// What a page of a list has items of; `nil` for every other answer.
        package private(set) var item: ObjectShape?
    }

    /// A parameter of the query string.
    package struct Parameter: Sendable {
        package let name: String
        package let shape: Shape
        package let meaning: String
        package let isRequired: Bool
        /// Whether the parameter may be given several times, each with a value of the shape.
        package var isRepeatable = false
    }

    package let method: HTTPMethod
    package let path: String
    package let summary: String
    /// What the summary cannot say: who may call, what else changes, what is kept, how often; `nil` if nothing is missing.
    package let description: String?
    package let access: Access
    package let parameters: [Parameter]
    package let body: Body
    package let answers: [Answer]
    /// Problems with a meaning specific to this call, beyond those that any call may answer.
    package let problems: [(status: Int, meaning: String)]
    package let keys: Keys
    /// Header fields of requests that this call reads, beside those of every call and of its conditions.
    package let fields: [Header]
    /// What the call takes from the caller's allowance, before what the body adds (`RequestCost`).
    package let cost: Int
    /// Those of the parameters that choose how the answer is presented.
    let presentation: [Parameter]
    /// What `expand` can add to the answer.
    package let expansions: [Expansion]
    /// Members of the API document that the specification does not define; their names begin with `x-`.
    package let extensions: [(name: String, value: JSONValue)]
    /// Whether parameters that nobody knows are left alone, as RFC 6749 section 3.1 and OpenID Connect Core section
    /// 3.1.2.1 demand: clients send their own extensions.
    var leavesUnknownParameters: Bool {
        path.hasPrefix("/oauth/") || path.hasPrefix("/.well-known/")
    }

    /// The call that took the place of this one, which will go away; `nil` for every call that stays.
    package let successor: Successor?

    /// - Parameters:
    ///   - description: a sentence or two, where the summary is not enough.
    ///   - isProjected: whether `fields` chooses the fields of a JSON answer.
    ///   - expansions: what `expand` can add to it.
    package init(
        _ method: HTTPMethod, _ path: String, _ summary: String, description: String? = nil,
        access: Access, query parameters: [Parameter] = [], body: Body = .none, answers: [Answer],
        problems: [(status: Int, meaning: String)] = [], keys: Keys = .ignored,
        fields: [Header] = [], cost: Int = 1, isProjected: Bool = false,
        expansions: [Expansion] = [], extensions: [(name: String, value: JSONValue)] = [],
        successor: Successor? = nil
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.description = description
        self.access = access
        self.expansions = expansions
        presentation = Self.presentation(of: answers, isProjected: isProjected, expansions)
        self.parameters = parameters + presentation
        self.body = body
        self.answers = answers
        self.problems = problems
        self.keys = keys
        self.fields = fields
        self.cost = cost
        self.extensions = extensions
        self.successor = successor
    }
}

extension Operation.Answer {
    package static func json(_ meaning: String, _ shape: Shape, status: Int = 200) -> Self {
        Self(
            status: status, meaning: meaning,
            content: [(mediaType: "application/json", shape: shape)])
    }

    /// A JSON document, or the same as CSV for clients that prefer it.
    package static func jsonOrCSV(_ meaning: String, _ shape: Shape) -> Self {
        Self(
            status: 200, meaning: meaning,
            content: [
                (mediaType: "application/json", shape: shape), (mediaType: "text/csv", shape: nil),
            ]
        ).negotiated
    }

    /// A JSON document of a media type of its own.
    package static func document(
        _ meaning: String, _ mediaType: String, _ shape: Shape, status: Int = 200
    ) -> Self {
        Self(status: status, meaning: meaning, content: [(mediaType: mediaType, shape: shape)])
    }

    package static func empty(_ status: Int, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: [])
    }

    package static func bytes(
        _ meaning: String, _ mediaTypes: [String], status: Int = 200
    ) -> Self {
        Self(
            status: status, meaning: meaning,
            content: mediaTypes.map { (mediaType: $0, shape: nil) })
    }

    /// A page of a list: `items` and the token of the next page.
    package static func page(_ meaning: String, of item: ObjectShape) -> Self {
        .json(meaning, .page(of: item)).with(.link).listing(item)
    }

    /// The same, or CSV for clients that prefer it.
    package static func pageOrCSV(_ meaning: String, of item: ObjectShape) -> Self {
        .jsonOrCSV(meaning, .page(of: item)).with(.link).listing(item)
    }

    private func listing(_ item: ObjectShape) -> Self {
        var answer = self
        answer.item = item
        return answer
    }
}

extension Operation.Parameter {
    package static func optional(_ name: String, _ shape: Shape, _ meaning: String) -> Self {
        Self(name: name, shape: shape, meaning: meaning, isRequired: false)
    }

    package static func required(_ name: String, _ shape: Shape, _ meaning: String) -> Self {
        Self(name: name, shape: shape, meaning: meaning, isRequired: true)
    }

    /// May be given several times.
    package static func repeatable(_ name: String, _ shape: Shape, _ meaning: String) -> Self {
        Self(name: name, shape: shape, meaning: meaning, isRequired: false, isRepeatable: true)
    }

    /// The order of a list that is ordered by time.
    package static let orderByTime = optional(
        "order", .word(["newest", "oldest"]), "Which come first; `newest` when absent.")

    /// The parameters that every list takes.
    package static let page: [Self] = [
        .optional("limit", .integer(1...1000), "How many items at most; 100 when absent."),
        .optional("pageToken", .text(1...2000), "Continues the list where the last page ended."),
    ]
}
