import Archive
import HTTPServer
import HTTPWire

extension HTTPResponse {
    /// Below this many bytes compressing is not worth its header.
    private static let shortest = 1024
    /// zlib's fastest level: pages repeat themselves so much that higher ones take twice the time for a little less.
    private static let level = 1

    /// The same page, compressed for a browser that takes that.
    ///
    /// The length of a compressed page can betray a secret in it to someone who can have pages fetched with guesses in
    /// them (BREACH). The only secrets in pages that browsers fetch are the tokens of forms, and those differ each time
    /// (`FormKey`). What a form answers may have others, such as temporary passwords, and is never compressed.
    func compressed(for request: HTTPRequest) -> HTTPResponse {
        guard status == 200, request.method == .get || request.method == .head,
            case .bytes(let bytes) = body, bytes.count >= Self.shortest
        else { return self }
        var response = self
        response.headers.append(.varyByEncoding)
        guard request.headers.takesGzip,
            let packed = try? GzipWriter.compress(bytes, level: Self.level)
        else { return response }
        response.headers.append(.gzipped)
        response.body = .bytes(packed)
        return response
    }
}

extension ResponseField {
    static let varyByEncoding = ResponseField("Vary", "Accept-Encoding")
    static let gzipped = ResponseField("Content-Encoding", "gzip")
}
