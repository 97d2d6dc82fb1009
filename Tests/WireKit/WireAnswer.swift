import Glibc
import HTTPWire

/// One answer as it came over the wire.
package struct WireAnswer: Sendable {
    package let statusLine: String
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    /// 0 if the status line is not one.
    package var status: Int { Int(statusLine.dropFirst(9).prefix(3)) ?? 0 }
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of all fields of that name, in any case.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    package subscript(name: String) -> String? { values(name).first }

    /// Whether the server says that the connection ends with this answer.
    package var closes: Bool { self["connection"] == "close" }

    /// What any answer of an HTTP/1.1 server must and must not have, whatever the request was.
    package var flaws: [String] {
        var flaws: [String] = []
        func require(_ holds: Bool, _ flaw: String) { if !holds { flaws.append(flaw) } }
        let phrase = ResponseWire.reason(status)
        require(statusLine == "HTTP/1.1 \(status) \(phrase)", "the status line (9112 §4)")
        let names = Set(fields.map { $0.name.lowercased() })
        require(names.count == fields.count, "a field occurs twice (9110 §5.3)")
        let isInterim = status < 200
        require(
            isInterim || self["date"]?.utf8.count == 29 && self["date"]?.hasSuffix(" GMT") == true,
            "no Date (9110 §6.6.1)")
        let isFramed = names.contains("content-length") || names.contains("transfer-encoding")
        require(!(isInterim || status == 204) || !isFramed, "a length without a body (9110 §8.6)")
        require(
            !names.isSuperset(of: ["content-length", "transfer-encoding"]),
            "two lengths (9112 §6.2)")
        require(status != 304 || !names.contains("content-type"), "304 with Content-Type (§15.4.5)")
        for (code, field) in Self.owed where status == code {
            require(names.contains(field), "\(code) without \(field)")
        }
        return flaws
    }

    /// What a status must bring with it: RFC 9110 sections 15.3.7, 15.5.2, 15.5.6 and 15.5.17.
    private static let owed = [
        (206, "content-range"), (401, "www-authenticate"), (405, "allow"), (416, "content-range"),
    ]
}

/// Reads answers from what was received.
package struct WireAnswerReader {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ received: [UInt8]) {
        bytes += received
    }

    /// Takes one answer off the front; `nil` while it is incomplete.
    ///
    /// - Parameters:
    ///   - toHead: whether the request was HEAD, so that there is no body whatever the fields say.
    ///   - hasEnded: whether the server has closed, which is the end of a body without a length.
    package mutating func next(toHead: Bool, hasEnded: Bool) -> WireAnswer? {
        guard let end = headEnd() else { return nil }
        let text = String(bytes[..<end].map { Character(Unicode.Scalar($0)) })
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let fields = lines.dropFirst().map { line -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        let head = WireAnswer(
            statusLine: lines.first.map(String.init) ?? "", fields: fields, body: [])
        let start = end + Self.headEnd.count
        guard let (body, used) = body(of: head, from: start, toHead, hasEnded) else { return nil }
        bytes.removeFirst(start + used)
        return WireAnswer(statusLine: head.statusLine, fields: fields, body: body)
    }

    /// Where the empty line begins. Asked for each piece that arrives, so the C library looks for it.
    private func headEnd() -> Int? {
        bytes.withUnsafeBytes { all -> Int? in
            guard let start = all.baseAddress else { return nil }
            var from = 0
            while let found = memchr(start + from, 13, all.count - from) {
                let index = UnsafeRawPointer(found) - start
                if all.count - index >= 4, memcmp(found, Self.headEnd, 4) == 0 { return index }
                from = index + 1
            }
            return nil
        }
    }

    /// RFC 9112 section 6.3.
    private func body(
        of head: WireAnswer, from start: Int, _ toHead: Bool, _ hasEnded: Bool
    ) -> (body: [UInt8], used: Int)? {
        let rest = Array(bytes[start...])
        if toHead || head.status < 200 || head.status == 204 || head.status == 304 {
            return ([], 0)
        }
        if head["transfer-encoding"] == "chunked" {
            var decoder = ChunkedDecoder()
            var body: [UInt8] = []
            guard let used = try? decoder.decode(rest.span, into: &body), decoder.isDone else {
                return nil
            }
            return (body, used)
        }
        if let length = head["content-length"].flatMap({ Int($0) }) {
            return rest.count < length ? nil : (Array(rest.prefix(length)), length)
        }
        return hasEnded ? (rest, rest.count) : nil
    }

    private static let headEnd = Array("\r\n\r\n".utf8)
}
