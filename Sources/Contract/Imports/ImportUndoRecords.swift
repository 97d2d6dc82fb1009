import Shapes

/// What undoing an import puts back, or what prevents it.
package struct ImportUndoing: Record {
    package let undone = Member<Bool>("undone", "false if it was a dry run.")
    package let rows = Member<[Document<UndoneRows>]>("rows", count: 0...21, "What is put back.")
    package let obstacles = Member<[Document<UndoObstacle>]>(
        "obstacles", count: 0...500,
        "What prevents it; only in a dry run, as the call is refused otherwise.")

    package static let declaration = Declaration(Self())
}

/// Rows of one kind that are put back.
package struct UndoneRows: Record {
    package let kind = Member<Word<UndoneKind>>("kind")
    package let change = Member<Word<RowChange>>(
        "change", "What the import did to them. Removed people are among the changed.")
    package let count = Member<Int>("count", .integer(1...Int.max))

    package static let declaration = Declaration(Self())
}

/// What prevents an import from being undone.
package struct UndoObstacle: Record {
    package let kind = Member<Word<UndoneKind>>("kind")
    package let reason = Member<String>(
        "reason", .text(1...100),
        "changed: no longer as the import left it. work: used for work since. Otherwise what refers "
            + "to it.")
    package let count = Member<Int>("count", .integer(1...Int.max))
    package let example = Member<String?>("example", .text(1...100), "The id of one.")

    package static let declaration = Declaration(Self())
}
