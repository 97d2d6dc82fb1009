extension RequestHead {
    /// A head that did not come over a connection; the target in origin form.
    ///
    /// - Parameter bodyLength: `nil` if it is not known yet.
    package init(
        method: HTTPMethod, target text: String, headers: HeaderFields, bodyLength: Int?
    ) throws(HTTPRefusal) {
        let target = try Target(Array(text.utf8))
        // The head holds its target as a range of the bytes that it received.
        let start = headers.bytes.count
        let headers = HeaderFields(
            bytes: headers.bytes + Array(text.utf8), entries: headers.entries)
        self.init(
            method: method, segments: target.segments, query: target.query, headers: headers,
            minorVersion: 1, framing: bodyLength.map { $0 == 0 ? .none : .length($0) } ?? .chunked,
            keepsAlive: true, expectsContinue: false, targetRange: start..<headers.bytes.count)
    }
}
