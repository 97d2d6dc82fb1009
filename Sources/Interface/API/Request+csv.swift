import HTTPServer
import HTTPWire

extension Request {
    /// Whether the client prefers CSV to JSON (RFC 9110 section 12.5.1).
    package var prefersCSV: Bool {
        let wanted = QualityList(http.headers, "accept")
        let rest = wanted["*/*"] ?? 0
        let csv = wanted["text/csv"] ?? wanted["text/*"] ?? rest
        return csv > (wanted["application/json"] ?? wanted["application/*"] ?? rest)
    }
}
