import HTTPServer
import HTTPWire
import JSONBytes

/// What a call was answered.
package struct Answer: Sendable {
    package let status: Int
    package let headers: [ResponseField]
    package let body: [UInt8]

    package init(status: Int, headers: [ResponseField], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as JSON; null where it is none.
    package var json: JSONValue { (try? JSONValue(parsing: body)) ?? nil }
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The code of a problem.
    package var code: String? { json["code"]?.text }
    /// The pointers of an invalid body.
    package var pointers: [String] {
        (json["errors"]?.array ?? []).compactMap { $0["pointer"]?.text }
    }
    /// The items of a page.
    package var items: [JSONValue] { json["items"]?.array ?? [] }
}
