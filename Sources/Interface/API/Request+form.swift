import HTTPServer
import HTTPWire

extension Request {
    /// The fields of an `application/x-www-form-urlencoded` body, in order; `nil` if it has another type or cannot be
    /// decoded. 413 beyond 16 KiB.
    package func form() async throws -> [QueryItem]? {
        guard http.headers["content-type"]?.isMediaType("application/x-www-form-urlencoded") == true
        else { return nil }
        return Form.items(try await http.body.collect(upTo: 16 << 10))
    }
}
