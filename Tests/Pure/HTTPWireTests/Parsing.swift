import HTTPWire
import Testing

/// The head at the start of the text; `nil` where more bytes are needed.
func parse(_ text: String) throws -> RequestHead? {
    try parse(Array(text.utf8))
}

func parse(_ bytes: [UInt8]) throws -> RequestHead? {
    var parser = RequestHeadParser()
    guard case .complete(let head, _) = try parser.parse(bytes.span) else { return nil }
    return head
}

/// The status a request is refused with; `nil` where it is not.
func refusal(_ bytes: [UInt8]) -> Int? {
    do {
        _ = try parse(bytes)
        return nil
    } catch {
        return (error as? HTTPRefusal)?.status
    }
}

/// A complete head for `GET /` with further lines.
func get(_ lines: String...) -> String {
    (["GET / HTTP/1.1", "Host: x"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
}
