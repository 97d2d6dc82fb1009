import Shapes

/// How often something of one kind was found in a file.
package struct ImportTally: Record {
    package let level = Member<Word<ImportLevel>>("level", levelMeaning)
    package let file = Member<String?>(
        "file", .text(1...300), "Absent where the archive as a whole is meant.")
    package let column = Member<String?>(
        "column", .text(1...300), "The column's name; absent for notes and whole rows.")
    package let code = Member<String>("code", .importCode)
    package let count = Member<Int>("count", .integer(0...Int.max))
    package let lines = Member<[Int]>(
        "lines", .array(.integer(1...Int.max), count: 0...ImportLimit.lines), "The first of them.")

    fileprivate static let levelMeaning =
        "note: put right. warning: left out, or odd. error: the archive is refused for it."

    package static let declaration = Declaration(Self())
}

/// One mistake in an archive, or what was left out for it.
package struct ImportError: Record {
    package let file = Member<String?>(
        "file", .text(1...300), "Absent where the archive as a whole is meant.")
    package let line = Member<Int?>(
        "line", .integer(1...Int.max), "Counted from 1; the header is line 1.")
    package let column = Member<String?>(
        "column", .text(1...300), "The column's name in the header.")
    package let code = Member<Word<ImportFindingCode>>("code")
    package let text = Member<String>("text", .text(1...2000))

    package static let declaration = Declaration(Self())
}

/// A kind of what was found, or one finding.
package struct ImportFound: Record {
    package let level = Member<Word<ImportLevel>>("level", ImportTally.levelMeaning)
    package let code = Member<String>("code", .importCode)
    package let file = Member<String?>(
        "file", .text(1...300), "Absent where the archive as a whole is meant.")
    package let column = Member<String?>(
        "column", .text(1...300), "The column's name in the header.")
    package let lines = Member<[Int]>(
        "lines", .array(.integer(1...Int.max), count: 0...ImportLimit.lines),
        "Of a kind the first of its lines; of a single finding its line, if it has one.")
    package let count = Member<Int?>(
        "count", .integer(0...Int.max),
        "Of a kind: how often it was found. Absent for a single finding.")
    package let text = Member<String?>(
        "text", .text(1...2000), "Of a single finding; absent for a kind.")

    package static let declaration = Declaration(Self())
}
