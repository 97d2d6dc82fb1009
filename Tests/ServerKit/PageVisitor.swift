import API
import HTTPWire
import JSONBytes
import TestKit
import Testing
import WireKit

/// A browser without scripts: it keeps cookies, and sends forms with the token of the last page.
final class PageVisitor {
    let port: UInt16
    private var cookies: [String: String] = [:]
    private var formToken = ""

    init(port: UInt16) { self.port = port }

    var host: String { "127.0.0.1:\(port)" }

    func get(_ path: String) throws -> WireAnswer { try send("GET", path, nil) }

    /// Sends a form.
    func post(_ path: String, _ fields: KeyValuePairs<String, String>) throws -> WireAnswer {
        let all = fields.map { ($0, $1) } + [("formToken", formToken)]
        let body = all.map { "\(percentEncode($0))=\(percentEncode($1))" }
        return try send("POST", path, body.joined(separator: "&"))
    }

    /// Follows a redirect within the server; the address of any other is returned.
    func follow(_ answer: WireAnswer) throws -> WireAnswer {
        let location = try #require(answer["location"], "\(answer.statusLine) \(answer.text)")
        return try get(location)
    }

    private func send(_ method: String, _ path: String, _ body: String?) throws -> WireAnswer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        if !cookies.isEmpty {
            head += "Cookie: \(cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))\r\n"
        }
        if let body {
            head += "Content-Type: application/x-www-form-urlencoded\r\n"
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        let answer = try exchange(Array((head + "\r\n" + (body ?? "")).utf8))
        for line in answer.values("set-cookie") { keep(line) }
        if let found = answer.text.firstMatch(of: /name="formToken" value="([^"]+)"/) {
            formToken = String(found.1)
        }
        return answer
    }

    private func exchange(_ bytes: [UInt8]) throws -> WireAnswer {
        let client = WireClient(port: port)
        client.send(bytes)
        var reader = WireAnswerReader()
        while true {
            switch client.receive() {
            case .bytes(let bytes): reader.append(bytes)
            case .end:
                let answer = reader.next(toHead: false, hasEnded: true)
                return try #require(answer)
            case .failure: throw NoAnswer()
            }
        }
    }

    private func keep(_ line: String) {
        let pair = line.prefix { $0 != ";" }
        let name = String(pair.prefix { $0 != "=" })
        cookies[name] = line.contains("Max-Age=0") ? nil : String(pair.dropFirst(name.count + 1))
    }
}
