/// First in, first out; taking an element does not move the others.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : elements[head] }

    var all: some Sequence<Element> { elements[head...].lazy.compactMap { $0 } }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the first matching element.
    mutating func removeFirst(where fits: (Element) -> Bool) -> Element? {
        if let first, fits(first) { return removeFirst() }
        guard
            let index = elements[head...].firstIndex(where: { $0.map(fits) ?? false })
        else { return nil }
        return elements.remove(at: index)
    }

    /// Removes the last one.
    mutating func removeLast() -> Element? {
        isEmpty ? nil : elements.removeLast()
    }

    func count(where fits: (Element) -> Bool) -> Int {
        elements[head...].count { $0.map(fits) ?? false }
    }

    /// Removes the matching elements and returns them in order; each is tested once.
    mutating func remove(where fits: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: [Element?] = []
        for case let element? in elements[head...] {
            if fits(element) { removed.append(element) } else { kept.append(element) }
        }
        elements = kept
        head = 0
        return removed
    }
}
