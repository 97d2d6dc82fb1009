import HTTPWire
import JSONBytes
import Shapes

/// A call of the API as both sides know it: features offer it, pages make it.
package struct Call<Query: QueryNames, Answer: Answered>: DeclaredCall {
    package let method: HTTPMethod
    /// With its parameters in braces: `/v1/imports/{id}`.
    package let path: String

    package init(_ method: HTTPMethod, _ path: String) {
        self.method = method
        self.path = path
    }

    package var queryNames: [String] { Query.allCases.map(\.rawValue) }
    package var shape: Shape? { Answer.answerShape }
}

/// A call, whatever it asks and answers.
package protocol DeclaredCall: Sendable {
    var method: HTTPMethod { get }
    var path: String { get }
    /// The parameters of the query that pages use.
    var queryNames: [String] { get }
    /// What it answers; `nil` if that is not JSON.
    var shape: Shape? { get }
}

/// The parameters in the query of a call.
package protocol QueryNames: RawRepresentable<String>, CaseIterable, Sendable {}

/// A call without a query.
package enum NoQuery: QueryNames {
    package static var allCases: [NoQuery] { [] }
    package init?(rawValue: String) { nil }
    package var rawValue: String { switch self {} }
}

/// What a call answers.
package protocol Answered: Sendable {
    /// `nil` for JSON in which something is missing that its readers rely on.
    init?(_ json: JSONValue)

    /// What it looks like; `nil` if it is not JSON.
    static var answerShape: Shape? { get }
    var json: JSONValue { get }
}

extension Document {
    package static var answerShape: Shape? { shape }
}

/// A page of a list.
package struct ListPage<Item: Record>: Answered {
    package let items: [Document<Item>]
    /// `nil` on the last page.
    package let nextPageToken: String?
    /// How many all pages have, where that was asked.
    package let totalCount: Int?

    package init(
        _ items: [Document<Item>], nextPageToken: String? = nil, totalCount: Int? = nil
    ) {
        self.items = items
        self.nextPageToken = nextPageToken
        self.totalCount = totalCount
    }

    package init?(_ json: JSONValue) {
        guard let items = json.object?[PageMember.items], [Document<Item>].accepts(items) else {
            return nil
        }
        self.init(
            [Document<Item>].value(of: items) ?? [],
            nextPageToken: json.object?[PageMember.nextPageToken]?.text,
            totalCount: json.object?[PageMember.totalCount]?.int64.map { Int($0) })
    }

    package static var answerShape: Shape? { .page(of: Item.declaration.object) }

    package var json: JSONValue {
        var object = JSONObject([(PageMember.items, items.json)])
        object[PageMember.nextPageToken] = nextPageToken.map(JSONValue.text)
        object[PageMember.totalCount] = totalCount?.json
        return .object(object)
    }
}

/// Of a call that answers with a file, or with nothing.
package struct NoDocument: Answered {
    package init() {}
    package init?(_ json: JSONValue) {}

    package static var answerShape: Shape? { nil }
    package var json: JSONValue { .null }
}

/// Every call that is declared, for the tests that compare them with the API document.
package enum DeclaredCalls {
    package static let all: [any DeclaredCall] =
        ImportCalls.all + MarkCalls.all + LogoutCalls.all
}
