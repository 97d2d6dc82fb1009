/// When a row of a file brings something, by the positions of its columns.
struct RowUse {
    /// The positions of the columns whose values are read.
    let read: [Int]
    /// Positions without whose value the row is left out, or used in part.
    private let needed: Set<Int>
    private let wanted: Set<Int>
    private let identity: [Int]
    private let unused: [(position: Int, words: Set<String>)]
    private let end: Int?
    private let status: Int?

    /// - Parameter names: of the header, in their plain form.
    init(_ layout: FileLayout, _ names: [String]) {
        func position(_ name: String) -> Int? { names.firstIndex(of: layout.plain(name)) }
        let series = layout.series.map { series in
            series.numbers.compactMap { position("\(series.name)_\($0)") }
        }
        read = (layout.staged.compactMap { position($0.key) } + (series ?? [])).sorted()
        needed = Set(layout.use.needed.compactMap(position))
        wanted = Set(layout.use.wanted.compactMap(position))
        identity = layout.use.identity.compactMap(position)
        unused = layout.use.unused.compactMap { name, words in
            position(name).map { ($0, Set(words.map { $0.lowercased() })) }
        }
        end = layout.use.end.flatMap(position)
        status = layout.statusColumn.flatMap(position)
    }

    func isNeeded(_ position: Int) -> Bool { needed.contains(position) }
    func isWanted(_ position: Int) -> Bool { wanted.contains(position) }
    func isIdentity(_ position: Int) -> Bool { identity.contains(position) }

    /// What a row brings.
    enum Kind { case something, nothing, removal }

    /// - Parameter today: a period that ends by then is over.
    func kind(of values: [ArraySlice<UInt8>], today: [UInt8]) -> Kind {
        if let status, word(values[status]) == "tobedeleted" { return .removal }
        for (position, words) in unused where words.contains(word(values[position])) {
            return .nothing
        }
        if let end, values[end].count == today.count,
            !today.lexicographicallyPrecedes(values[end])
        {
            return .nothing
        }
        return .something
    }

    private func word(_ value: ArraySlice<UInt8>) -> String {
        String(decoding: value, as: UTF8.self).lowercased()
    }
}
