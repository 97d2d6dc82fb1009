import Values

/// Waiting elements, with one line per tenant; the lines take turns.
struct FairQueue<Element> {
    /// The lines in the order of their turns; none of them is empty.
    private var lines: [(tenant: UUID?, elements: Queue<Element>)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// How many tenants are waiting.
    var tenantCount: Int { lines.count }

    /// All waiting elements, line by line.
    var elements: some Sequence<Element> { lines.lazy.flatMap(\.elements.all) }

    /// The first of each line; the one that has waited longest is among them.
    var heads: some Sequence<Element> { lines.lazy.compactMap(\.elements.first) }

    mutating func append(_ element: Element, of tenant: UUID?) {
        count += 1
        if let index = lines.firstIndex(where: { $0.tenant == tenant }) {
            lines[index].elements.append(element)
        } else {
            var line = Queue<Element>()
            line.append(element)
            lines.append((tenant, line))
        }
    }

    /// Removes the next element of a line that may have its turn, and puts that line behind the others.
    ///
    /// - Parameters:
    ///   - mayTakeTurn: asked of tenants in turn.
    ///   - fits: asked of those in the line, in their order.
    mutating func removeNext(
        where mayTakeTurn: (UUID?) -> Bool, _ fits: (Element) -> Bool = { _ in true }
    ) -> Element? {
        for index in lines.indices where mayTakeTurn(lines[index].tenant) {
            guard let element = lines[index].elements.removeFirst(where: fits) else { continue }
            count -= 1
            let line = lines.remove(at: index)
            if !line.elements.isEmpty { lines.append(line) }
            return element
        }
        return nil
    }

    /// Removes the first element of a line, regardless of turns.
    mutating func removeHead(where fits: (Element) -> Bool) -> Element? {
        for index in lines.indices {
            guard let first = lines[index].elements.first, fits(first) else { continue }
            count -= 1
            lines[index].elements.removeFirst()
            if lines[index].elements.isEmpty { lines.remove(at: index) }
            return first
        }
        return nil
    }

    /// Frees a position for a tenant by removing the last element of the longest line; `nil` if that line is
    /// hardly longer than the tenant's own.
    mutating func removeLast(for tenant: UUID?) -> Element? {
        guard hasLongerLine(than: tenant),
            let index = lines.indices.max(by: {
                lines[$0].elements.count < lines[$1].elements.count
            })
        else { return nil }
        count -= 1
        return lines[index].elements.removeLast()
    }

    /// Whether another line is so much longer than this tenant's that its last element may be removed.
    func hasLongerLine(than tenant: UUID?) -> Bool {
        let own = lines.first { $0.tenant == tenant }?.elements.count ?? 0
        return lines.contains { $0.elements.count > own + 1 }
    }

    /// Removes the matching elements and returns them line by line; each is tested once.
    mutating func remove(where fits: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for index in lines.indices { removed += lines[index].elements.remove(where: fits) }
        lines.removeAll { $0.elements.isEmpty }
        count -= removed.count
        return removed
    }

    /// How many elements match.
    func count(where fits: (Element) -> Bool) -> Int {
        lines.reduce(0) { $0 + $1.elements.count(where: fits) }
    }
}
