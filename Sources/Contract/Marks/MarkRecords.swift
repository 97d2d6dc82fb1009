import Shapes
import Values

/// What a teacher sees of a student's mark for a task, or for a handout as a whole; and the student, without drafts.
package struct MarkedWork: Record {
    package let personId = Member<String>("personId", .uuid, "The student.")
    package let taskId = Member<String?>(
        "taskId", .uuid, "The task; null: it is about the handout as a whole.")
    package let maximum = Member<Double?>(
        "maximum", MarkBounds.maximum,
        "The most points that one can get; null: it is not marked any more."
    )
    package let mark = Member<Document<GivenMark>?>(
        "mark", "What the student and all who teach the class see.")
    package let draft = Member<Document<OwnMarkDraft>?>(
        "draft", "What you have not given yet, and nobody else sees.")

    package static let declaration = Declaration(Self())
}

/// A mark that the student was given.
package struct GivenMark: Record {
    package let points = Member<Double>("points", MarkBounds.points)
    package let maximum = Member<Double>(
        "maximum", MarkBounds.maximum, "How many there were when it was given.")
    package let givenAt = Member<Timestamp>("givenAt", "When the student was given it.")
    package let revision = Member<Int>(
        "revision", MarkBounds.revision, "Grows with each that is given.")

    package static let declaration = Declaration(Self())
}

/// A mark that its author has not given yet.
package struct OwnMarkDraft: Record {
    package let points = Member<Double>("points", MarkBounds.points)
    package let replaces = Member<Int>(
        "replaces", MarkBounds.revision, "The `revision` of the mark that it replaces; 0: none.")
    package let updatedAt = Member<Timestamp>("updatedAt")

    package static let declaration = Declaration(Self())
}

/// What marks can be.
package enum MarkBounds {
    package static let maximum = Shape.number(0.01...1000)
    package static let points = Shape.number(0...1000)
    package static let revision = Shape.integer(0...1_000_000_000)
}

/// What a handout says about how it is marked, whatever else it says.
package struct MarkedHandout: Record {
    package let marking = Member<Document<PointsMarking>?>(
        "marking", "How it is marked as a whole; null: it is not.")

    package static let declaration = Declaration(Self())
}

/// Marking by points.
package struct PointsMarking: Record {
    package let kind = Member<String>("kind", .word(["points"]))
    package let maximum = Member<Double>(
        "maximum", MarkBounds.maximum,
        "The most points that one can get, with at most two decimal places.")

    package static let declaration = Declaration(Self())
}

/// What a report says about marks in a student's cell of a task, whatever else it says.
package struct ReportedMarks: Record {
    package let mark = Member<Document<ReportedMark>?>(
        "mark", "What the student was given for the task.")
    package let handoutMark = Member<Document<ReportedMark>?>(
        "handoutMark", "What the student was given for the handout as a whole.")

    package static let declaration = Declaration(Self())
}

/// A mark in a report.
package struct ReportedMark: Record {
    package let points = Member<Double>("points", MarkBounds.points)
    package let maximum = Member<Double>(
        "maximum", MarkBounds.maximum, "How many there were when it was given.")

    package static let declaration = Declaration(Self())
}
