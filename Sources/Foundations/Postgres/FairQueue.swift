import Values

/// Waiting elements: tenants take turns, and within a tenant its subjects do.
struct FairQueue<Element> {
    /// What waits for one subject, or for all of a tenant that cannot be distinguished.
    private struct Place {
        let subject: UUID?
        var elements = Queue<Element>()
    }

    /// What waits for one tenant. No place in it is empty.
    private struct Line {
        let tenant: UUID?
        var places: [Place] = []
        var count = 0

        mutating func append(_ element: Element, of subject: UUID?) {
            count += 1
            let index = places.firstIndex { $0.subject == subject } ?? places.count
            if index == places.count { places.append(Place(subject: subject)) }
            places[index].elements.append(element)
        }

        /// Removes the next one that fits, and puts its subject behind the others.
        mutating func removeNext(where fits: (Element) -> Bool) -> Element? {
            for index in places.indices {
                guard let element = places[index].elements.removeFirst(where: fits) else {
                    continue
                }
                count -= 1
                let place = places.remove(at: index)
                if !place.elements.isEmpty { places.append(place) }
                return element
            }
            return nil
        }

        /// Removes the first one of a subject, if it fits.
        mutating func removeHead(where fits: (Element) -> Bool) -> Element? {
            let index = places.firstIndex { $0.elements.first.map(fits) ?? false }
            guard let index, let first = places[index].elements.removeFirst() else { return nil }
            count -= 1
            if places[index].elements.isEmpty { places.remove(at: index) }
            return first
        }

        /// Removes the last one of the subject for which most wait.
        mutating func removeLast() -> Element? {
            let longest = places.indices.max {
                places[$0].elements.count < places[$1].elements.count
            }
            guard let longest, let last = places[longest].elements.removeLast() else { return nil }
            count -= 1
            if places[longest].elements.isEmpty { places.remove(at: longest) }
            return last
        }

        mutating func remove(where fits: (Element) -> Bool) -> [Element] {
            var removed: [Element] = []
            for index in places.indices { removed += places[index].elements.remove(where: fits) }
            places.removeAll { $0.elements.isEmpty }
            count -= removed.count
            return removed
        }
    }

    /// In the order of their turns; none of them is empty.
    private var lines: [Line] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    /// How many tenants are waiting.
    var tenantCount: Int { lines.count }

    /// All waiting elements, line by line.
    var elements: some Sequence<Element> {
        lines.lazy.flatMap(\.places).flatMap(\.elements.all)
    }

    /// The first of each subject; the one that has waited longest is among them.
    var heads: some Sequence<Element> { lines.lazy.flatMap(\.places).compactMap(\.elements.first) }

    mutating func append(_ element: Element, of party: Party?) {
        count += 1
        let index = lines.firstIndex { $0.tenant == party?.tenant } ?? lines.count
        if index == lines.count { lines.append(Line(tenant: party?.tenant)) }
        lines[index].append(element, of: party?.subject)
    }

    /// Removes the next element of a tenant that may have its turn, and puts that tenant behind the others.
    ///
    /// - Parameters:
    ///   - mayTakeTurn: asked of tenants in turn.
    ///   - fits: asked of those that wait for the tenant, in the order of their turns.
    mutating func removeNext(
        where mayTakeTurn: (UUID?) -> Bool, _ fits: (Element) -> Bool = { _ in true }
    ) -> Element? {
        for index in lines.indices where mayTakeTurn(lines[index].tenant) {
            guard let element = lines[index].removeNext(where: fits) else { continue }
            count -= 1
            let line = lines.remove(at: index)
            if line.count > 0 { lines.append(line) }
            return element
        }
        return nil
    }

    /// Removes the first element of a subject, regardless of turns.
    mutating func removeHead(where fits: (Element) -> Bool) -> Element? {
        for index in lines.indices {
            guard let first = lines[index].removeHead(where: fits) else { continue }
            count -= 1
            if lines[index].count == 0 { lines.remove(at: index) }
            return first
        }
        return nil
    }

    /// Frees a position for a tenant by removing an element of the tenant for which most wait; `nil` if that are hardly
    /// more than its own.
    mutating func removeLast(for tenant: UUID?) -> Element? {
        guard hasLongerLine(than: tenant),
            let index = lines.indices.max(by: { lines[$0].count < lines[$1].count })
        else { return nil }
        count -= 1
        return lines[index].removeLast()
    }

    /// Whether so much more waits for another tenant than for this one that an element of it may be removed.
    func hasLongerLine(than tenant: UUID?) -> Bool {
        let own = lines.first { $0.tenant == tenant }?.count ?? 0
        return lines.contains { $0.count > own + 1 }
    }

    /// Removes the matching elements and returns them line by line; each is tested once.
    mutating func remove(where fits: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for index in lines.indices { removed += lines[index].remove(where: fits) }
        lines.removeAll { $0.count == 0 }
        count -= removed.count
        return removed
    }

    /// How many wait for a subject of a tenant.
    func count(of party: Party) -> Int {
        let line = lines.first { $0.tenant == party.tenant }
        return line?.places.first { $0.subject == party.subject }?.elements.count ?? 0
    }
}
