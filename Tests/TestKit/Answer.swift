import HTTPServer
import HTTPWire
import JSONBytes

/// The answer to a call.
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

    /// The body as JSON; null if it is not JSON.
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

    /// Whether a JSON body has blanks outside its texts, which cost bandwidth for nothing.
    var hasBlanksBetweenParts: Bool {
        var isInText = false
        var isEscaped = false
        for byte in body {
            if isInText {
                isInText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte <= UInt8(ascii: " ") {
                return true
            } else {
                isInText = byte == UInt8(ascii: "\"")
            }
        }
        return false
    }
}

extension JSONValue {
    /// The object without its null members: where a body may lack a field, it is left out.
    package var withoutNulls: JSONValue {
        guard let object else { return self }
        return .object(
            JSONObject(object.members.filter { !$0.value.isNull }.map { ($0.key, $0.value) }))
    }
}
