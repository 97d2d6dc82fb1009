import School

extension Problem {
    static let handoutNotPublished = Problem(
        409, "not_published", "The handout is not published yet.",
        detail: "Publish it first with POST /v1/handouts/{id}/publication.")

    static let handoutPublished = Problem(
        409, "already_published", "The handout is published already.",
        detail: "Its moment of publication cannot change any more.")

    static let handoutCompleted = Problem(
        409, "completed", "The handout is completed; that cannot be undone.")

    static let handoutLocked = Problem(
        409, "locked", "The teacher paused the work on this handout.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived; nothing can be given to it.")

    static let tooManyHandouts = Problem(
        409, "too_many_handouts", "A class has at most 200 active handouts.",
        detail: "Complete or delete older ones first.")
}
