import HTTPServer
import Testing

extension HTTPResponse {
    /// The whole body.
    func collectedBody() async -> [UInt8] {
        switch body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream:
            Issue.record("streamed bodies are tested over a socket")
            return []
        }
    }
}
