import API

/// Writes `application/x-www-form-urlencoded`, which queries and bodies have in common.
enum FormText {
    static func encoded(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(percentEncode($0.name))=\(percentEncode($0.value))" }
            .joined(separator: "&")
    }
}
