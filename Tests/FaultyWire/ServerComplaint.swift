/// What PostgreSQL says before it closes a connection.
package struct ServerComplaint: Sendable, CustomStringConvertible {
    private let severity: String
    private let sqlState: String
    private let text: String

    /// - Parameter severity: `FATAL` or `PANIC`.
    package init(_ severity: String, _ sqlState: String, _ text: String) {
        self.severity = severity
        self.sqlState = sqlState
        self.text = text
    }

    package var description: String { "\(severity) \(sqlState)" }

    /// An ErrorResponse (PostgreSQL documentation, "Message Formats").
    var message: [UInt8] {
        var body: [UInt8] = []
        for field in ["S\(severity)", "V\(severity)", "C\(sqlState)", "M\(text)"] {
            body += Array(field.utf8) + [0]
        }
        body.append(0)
        let length = body.count + 4
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return [UInt8(ascii: "E")] + head + body
    }
}
