import Values

/// Those who wait, each in the line of its tenant; lines take turns.
struct FairQueue<Element> {
    /// The lines in the order of their turns; none of them is empty.
    private var lines: [(tenant: UUID?, elements: Queue<Element>)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// How many tenants wait.
    var tenantCount: Int { lines.count }

    /// All who wait, line by line.
    var elements: some Sequence<Element> { lines.lazy.flatMap(\.elements.all) }

    /// The first of each line: whoever waited longest is among them.
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

    /// Takes out the next one of a line that may have its turn, and puts that line behind the others.
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

    /// Takes out the first one of a line, whosever turn it is.
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

    /// Makes room for one of a tenant by taking out the last one of the longest line; `nil` where that line is hardly
    /// longer than the tenant's own.
    mutating func removeLast(for tenant: UUID?) -> Element? {
        guard hasLongerLine(than: tenant),
            let index = lines.indices.max(by: {
                lines[$0].elements.count < lines[$1].elements.count
            })
        else { return nil }
        count -= 1
        return lines[index].elements.removeLast()
    }

    /// Whether a tenant's line is so much longer than this one's that its last one may be sent away.
    func hasLongerLine(than tenant: UUID?) -> Bool {
        let own = lines.first { $0.tenant == tenant }?.elements.count ?? 0
        return lines.contains { $0.elements.count > own + 1 }
    }

    /// Removes those that fit, and gives them line by line; each is asked once.
    mutating func remove(where fits: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for index in lines.indices { removed += lines[index].elements.remove(where: fits) }
        lines.removeAll { $0.elements.isEmpty }
        count -= removed.count
        return removed
    }

    /// How many fit.
    func count(where fits: (Element) -> Bool) -> Int {
        lines.reduce(0) { $0 + $1.elements.count(where: fits) }
    }
}
