import Postgres

extension [DefinedStatement] {
    /// The same statements in file order, but each after the functions it names: PostgreSQL resolves those at once,
    /// unless the body is stored as text.
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
    /// The names before a parenthesis in the parts PostgreSQL parses when the statement is run: everything but
    /// dollar-quoted bodies.
    fileprivate var namesLookedFor: [String] {
        guard case .object = definition else { return [] }
        let quote = script.bytes.firstRange(of: [UInt8(ascii: "$"), UInt8(ascii: "$")])
        let parsed = script.bytes[..<(quote?.lowerBound ?? script.bytes.endIndex)]
        return parsed.split(separator: UInt8(ascii: "(")).dropLast().map { piece in
            let name = piece.reversed().prefix(while: DefinedStatement.isName)
            return String(decoding: name.reversed(), as: UTF8.self)
        }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
