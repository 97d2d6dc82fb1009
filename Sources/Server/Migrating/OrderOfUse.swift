import Postgres

extension [DefinedStatement] {
    /// The same statements in the order of their files, but each after the functions that it names: PostgreSQL looks
    /// for those at once, where it does not read a body as text.
    func inOrderOfUse() -> [DefinedStatement] {
        var functions: [String: [Int]] = [:]
        for (index, statement) in enumerated() {
            if case .object(let object) = statement.definition, object.kind == .function {
                functions[object.name, default: []].append(index)
            }
        }
        var isTaken = [Bool](repeating: false, count: count)
        var order: [DefinedStatement] = []
        func take(_ index: Int) {
            guard !isTaken[index] else { return }
            isTaken[index] = true
            for name in self[index].namesLookedFor {
                for function in functions[name] ?? [] { take(function) }
            }
            order.append(self[index])
        }
        for index in indices { take(index) }
        return order
    }
}

extension DefinedStatement {
    /// The names in what PostgreSQL parses when the statement is run: all but a body in dollar quotes.
    fileprivate var namesLookedFor: [String] {
        guard case .object = definition else { return [] }
        let bytes = script.bytes
        let end = bytes.indices.dropLast().first {
            bytes[$0] == UInt8(ascii: "$") && bytes[$0 + 1] == UInt8(ascii: "$")
        }
        return bytes[..<(end ?? bytes.endIndex)].split { byte in
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            return !isLetter && !isDigit && byte != UInt8(ascii: "_")
        }.map { String(decoding: $0, as: UTF8.self) }
    }
}
