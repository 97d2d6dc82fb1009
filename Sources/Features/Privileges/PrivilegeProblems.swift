import API
import School

extension Problem {
    static let mayNotMakeClasses = Problem.forbidden(
        "You need the privilege makeClasses at this location. An administrator can grant it.")

    static let mayNotChangeClass = Problem.forbidden(
        "You may only change classes that teachers made, at locations where you hold the privilege makeClasses."
    )

    static let classOfAnother = Problem.forbidden("You may only remove a class that you made.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived, so it cannot change.")

    static let termClosed = Problem(409, "term_closed", "The term is closed.")

    static let tooManyMadeClasses = Problem(
        409, "too_many_made_classes", "You already made 50 classes that are not archived.",
        detail: "Remove those you no longer need, or ask an administrator.")

    static let lastTeacher = Problem(
        409, "last_teacher", "The class would have no teacher.", detail: "Add another one first.")

    static let searchTooShort = invalidParameter(
        "q", "One part of a name needs at least three letters, or two that are not Latin.")

    static let tooManySearches = Problem(
        429, "too_many_searches", "You have searched 300 times today.",
        detail: "Try again tomorrow, or ask an administrator to fill the class.")
}
