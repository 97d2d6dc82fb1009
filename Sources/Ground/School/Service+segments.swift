import HTTPServer
import HTTPWire

extension Service {
    /// The segments of a path, without slashes too many where those mean nothing.
    func segments(of http: HTTPRequest) -> [String] {
        let segments = http.segments
        guard segments.contains(""), foldedPaths.contains(where: { segments.starts(with: $0) })
        else { return segments }
        return segments.filter { !$0.isEmpty }
    }
}
