/// The words of a predicate format.
struct PredicateTokens {
    enum Token: Equatable {
        case word(String)
        case text(String)
        case symbol(String)
        /// %@, %K and the like.
        case argument(String)
        case end
    }

    let format: String
    private let characters: [Character]
    private var position = 0
    /// Where the current token begins, in characters.
    private(set) var start = 0
    private(set) var current = Token.end

    init(_ format: String) throws {
        self.format = format
        characters = Array(format)
        try advance()
    }

    mutating func advance() throws {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
        start = position
        guard position < characters.count else {
            current = .end
            return
        }
        switch characters[position] {
        case "\"", "'": current = .text(try quoted())
        case "%": current = .argument(argument())
        case let character where character.isLetter || character == "_" || character == "#":
            current = .word(taking { $0.isLetter || $0.isNumber || "_.#".contains($0) })
        case let character where character.isNumber:
            current = .word(taking { $0.isNumber || $0 == "." })
        case let character where "=!<>&|".contains(character):
            current = .symbol(taking { "=!<>&|".contains($0) })
        case let character:
            position += 1
            current = .symbol(String(character))
        }
    }

    private mutating func taking(_ isPart: (Character) -> Bool) -> String {
        let from = position
        while position < characters.count, isPart(characters[position]) { position += 1 }
        return String(characters[from..<position])
    }

    private mutating func argument() -> String {
        position += 1
        let modifiers = taking { "l".contains($0) }
        guard position < characters.count else { return modifiers }
        position += 1
        return modifiers + String(characters[position - 1])
    }

    private mutating func quoted() throws -> String {
        let quote = characters[position]
        var text = ""
        position += 1
        while position < characters.count, characters[position] != quote {
            if characters[position] == "\\", position + 1 < characters.count { position += 1 }
            text.append(characters[position])
            position += 1
        }
        guard position < characters.count else {
            throw PredicateError("The text is not closed.", in: format, at: start)
        }
        position += 1
        return text
    }
}
