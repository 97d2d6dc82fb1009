import Foundation

/// A block between fences of a guide, with the mark above it.
///
/// Without a mark it holds commands that a test runs, as the user that the guide says. `<!-- not run: REASON -->` above it
/// says why it cannot be run, and `<!-- not commands: WHAT -->` that it is something else.
struct GuideBlock {
    enum Mark: Equatable {
        case run
        case notRun(reason: String)
        case notCommands
    }

    /// The path below `deploy/guides`, without `.md`.
    let guide: String
    /// Of the first line within the fences, from 1.
    let line: Int
    let mark: Mark
    let text: String

    /// All blocks of a guide, in their order.
    static func all(in guide: String) throws -> [GuideBlock] {
        let lines = try Guides.text("deploy/guides/\(guide).md")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var blocks: [GuideBlock] = []
        var mark = Mark.run
        var start: Int?
        for (index, line) in lines.enumerated() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("```") {
                guard let begin = start else {
                    start = index + 1
                    continue
                }
                let indent = line.prefix { $0 == " " }.count
                let body = lines[begin..<index].map { String($0.dropFirst(indent)) }
                blocks.append(
                    GuideBlock(
                        guide: guide, line: begin + 1, mark: mark,
                        text: body.joined(separator: "\n") + "\n"))
                (start, mark) = (nil, .run)
            } else if start == nil, let found = self.mark(text) {
                mark = found
            } else if start == nil, !text.isEmpty {
                mark = .run
            }
        }
        return blocks
    }

    private static func mark(_ line: String) -> Mark? {
        if line.wholeMatch(of: /<!-- not commands: .+ -->/) != nil { return .notCommands }
        return line.wholeMatch(of: /<!-- not run: (.{10,}) -->/)
            .map { .notRun(reason: String($0.1)) }
    }

    /// The commands in a text for the shell, each as words, those in `$(…)` too. Variables stay as they are.
    static func commands(in text: String) -> [[String]] {
        var commands: [[String]] = []
        var words: [String] = []
        var word = ""
        var isWord = false
        var quote: Character?
        func endWord() {
            if isWord { words.append(word) }
            (word, isWord) = ("", false)
        }
        func endCommand() {
            endWord()
            if !words.isEmpty { commands.append(words) }
            words = []
        }
        var rest = Substring(text.replacing("\\\n", with: " "))
        while let character = rest.popFirst() {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, isWord) = (character, true)
            } else if character == "$", rest.first == "(" {
                let inner = rest.prefix { $0 != ")" }.dropFirst()
                commands += GuideBlock.commands(in: String(inner))
                rest = rest.dropFirst(inner.count + 2)
                (word, isWord) = (word + "$(…)", true)
            } else if character == "#", !isWord {
                rest = rest.drop { $0 != "\n" }
            } else if "|&;\n".contains(character) {
                endCommand()
            } else if character.isWhitespace {
                endWord()
            } else if character == ">" || character == "<" {
                endWord()
                rest = rest.drop { "&> ".contains($0) }.drop { !" \n|;".contains($0) }
            } else {
                word.append(character)
                isWord = true
            }
        }
        endCommand()
        return commands
    }
}
