/// What a client accepts according to `Accept`, `Accept-Encoding` or `Accept-Language`, each name in lower case
/// with its quality (RFC 9110 section 12.4.2).
package struct QualityList: Sendable {
    package struct Element: Sendable, Equatable {
        /// A media range, a content coding or a language, without parameters.
        package let name: String
        /// From 0 (refused) to 1.
        package let quality: Double
    }

    /// In the order of the header, which may repeat a name.
    package let elements: [Element]

    /// - Parameters:
    ///   - field: the name of the header.
    ///   - limit: how many elements are read; the others count as not sent.
    package init(_ headers: HeaderFields, _ field: String, limit: Int = .max) {
        elements = headers.list(field).prefix(limit).compactMap(Element.init)
    }

    package var isEmpty: Bool { elements.isEmpty }

    /// The quality of that name, from its last element; `nil` if no element names it.
    package subscript(name: String) -> Double? {
        elements.last { $0.name == name }?.quality
    }

    /// The names that are not refused, the most wanted first.
    package var preferred: [String] {
        // Equal elements keep their order; `sorted` does not promise that.
        elements.enumerated().filter { $0.element.quality > 0 }
            .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
            .map(\.element.name)
    }
}

extension HeaderFields {
    /// Whether `Accept-Encoding` names gzip without refusing it (RFC 9110 section 12.5.3).
    package var takesGzip: Bool {
        QualityList(self, "accept-encoding", limit: 20).preferred.contains {
            ["gzip", "x-gzip"].contains($0)
        }
    }
}

extension QualityList.Element {
    init?(_ text: String) {
        let parts = text.lowercased().split(separator: ";").map {
            $0.filter { $0 != " " && $0 != "\t" }
        }
        guard let name = parts.first, !name.isEmpty else { return nil }
        self.name = name
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            .flatMap { Double($0.dropFirst(2)) }
        quality = weight.flatMap { (0...1).contains($0) ? $0 : nil } ?? 1
    }
}
