/// Where to connect, and the session settings.
package struct ConnectionSettings: Sendable {
    /// A URL or a `key=value` string, as libpq reads it.
    package let target: String
    private let options: String
    private let timeoutSeconds: Int

    /// The options are session settings, for instance `search_path` or `statement_timeout`; they override those
    /// of the target. The timeout applies to one address and is at least 2 s; the target's own overrides it.
    package init(
        _ target: String, options: KeyValuePairs<String, String> = [:], timeoutSeconds: Int = 10
    ) {
        self.init(
            target, options: options.map { ($0.key, $0.value) }, timeoutSeconds: timeoutSeconds)
    }

    init(_ target: String, options: [(String, String)], timeoutSeconds: Int) {
        self.target = target
        self.timeoutSeconds = timeoutSeconds
        self.options = options.map { name, value in
            "-c \(name)=\(ConnectionSettings.escape(value))"
        }.joined(separator: " ")
    }

    /// Lends keywords and values to `PQconnectdbParams` or `PQconnectStartParams`.
    func withPointers<Result>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> Result
    ) -> Result {
        // Entries before `dbname` are defaults that the target overrides.
        var entries: [(StaticString, String)] = [
            ("connect_timeout", "\(timeoutSeconds)"), ("fallback_application_name", "homeroom"),
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
            ("dbname", target), ("client_encoding", "UTF8"),
        ]
        if !options.isEmpty { entries.append(("options", options)) }
        let values = entries.map { Array($0.1.utf8CString) }
        var keywordPointers: [UnsafePointer<CChar>?] = entries.map {
            UnsafeRawPointer($0.0.utf8Start).assumingMemoryBound(to: CChar.self)
        }
        keywordPointers.append(nil)
        return lend(values[...], []) { pointers in body(keywordPointers, pointers) }
    }

    private func lend<Result>(
        _ values: ArraySlice<[CChar]>, _ pointers: [UnsafePointer<CChar>?],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        guard let first = values.first else { return body(pointers + [nil]) }
        return first.withUnsafeBufferPointer {
            lend(values.dropFirst(), pointers + [$0.baseAddress], body)
        }
    }

    /// In the server's option string blanks separate options and backslashes escape.
    private static func escape(_ value: String) -> String {
        var text = ""
        for character in value {
            if character == " " || character == "\\" { text.append("\\") }
            text.append(character)
        }
        return text
    }
}
