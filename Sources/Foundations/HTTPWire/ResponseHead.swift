/// One field of a response.
package struct ResponseField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Writes everything a server sends except bodies.
package enum ResponseWire {
    /// A field whose name is not a token or whose value holds CR, LF, NUL or another control character.
    package struct UnsafeField: Error, Sendable {
        package let name: String
    }

    /// Appends `HTTP/1.1 200 OK` with its line end.
    package static func appendStatusLine(_ status: Int, to bytes: inout [UInt8]) {
        if status == 200 { return bytes.append(contentsOf: ok) }
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        appendDecimal(status, to: &bytes)
        bytes.append(Characters.space)
        bytes.append(contentsOf: reason(status).utf8)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    private static let ok = Array("HTTP/1.1 200 OK\r\n".utf8)

    /// Appends one field; an unsafe one, which could be read as something else, is refused and nothing is appended.
    package static func append(
        _ field: ResponseField, to bytes: inout [UInt8]
    ) throws(UnsafeField) {
        guard Characters.isToken(field.name), Characters.isText(field.value) else {
            throw UnsafeField(name: field.name)
        }
        append(field.name, field.value, to: &bytes)
    }

    /// Appends one field that the server made itself.
    package static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        let (nameLength, valueLength) = (name.utf8.count, value.utf8.count)
        bytes.append(addingCapacity: nameLength + valueLength + 4) { span in
            span.withUnsafeMutableBufferPointer { buffer, written in
                copy(name, to: buffer, at: 0)
                buffer[nameLength] = UInt8(ascii: ":")
                buffer[nameLength + 1] = Characters.space
                copy(value, to: buffer, at: nameLength + 2)
                written = nameLength + valueLength + 4
                buffer[written - 2] = Characters.carriageReturn
                buffer[written - 1] = Characters.lineFeed
            }
        }
    }

    private static func copy(
        _ text: String, to buffer: UnsafeMutableBufferPointer<UInt8>, at offset: Int
    ) {
        var text = text
        text.withUTF8 { bytes in
            _ = UnsafeMutableBufferPointer(rebasing: buffer[offset...]).update(from: bytes)
        }
    }

    /// Appends `Content-Length`.
    package static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "Content-Length: ".utf8)
        appendDecimal(length, to: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// Appends the line before the data of a chunk; CR LF follows the data.
    package static func appendChunkSize(_ size: Int, to bytes: inout [UInt8]) {
        precondition(size > 0, "an empty chunk would end the body")
        bytes.append(contentsOf: String(size, radix: 16).utf8)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// The chunk that ends a body, without trailers.
    package static let lastChunk = Array("0\r\n\r\n".utf8)

    static func appendDecimal(_ value: Int, to bytes: inout [UInt8]) {
        if value >= 10 { appendDecimal(value / 10, to: &bytes) }
        bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// The reason phrase of RFC 9110 for a status; empty if there is none.
    package static func reason(_ status: Int) -> String {
        reasons[status] ?? ""
    }

    private static let reasons: [Int: String] = [
        100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
        206: "Partial Content", 207: "Multi-Status", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
        428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        499: "Client Closed Request", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}
