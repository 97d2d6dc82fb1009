import API

extension Problem {
    static let handoutNotPublished = Problem(
        409, "not_published", "The handout is not published yet.",
        detail: "Publish it first with POST /v1/handouts/{id}/publication.")

    static let handoutPublished = Problem(
        409, "already_published", "The handout is already published.",
        detail: "Its publication time can no longer change.")

    static let handoutBegun = Problem(
        409, "already_begun", "A student has begun the handout.",
        detail: "From then on it cannot become a draft again.")

    static let handoutCompleted = Problem(
        409, "completed", "The handout is completed; that cannot be undone.")

    static let handoutLocked = Problem(
        409, "locked", "Your teacher has paused work on this handout.")

    static let classArchived = Problem(
        409, "class_archived", "The class is archived and takes no new handouts.")

    static let handoutNotCompleted = Problem(
        409, "not_completed", "Only a completed handout can be archived.")

    static let handoutEmpty = Problem(
        409, "no_tasks", "A handout without tasks cannot be published.")

    static let tasksMissing = Problem.invalid(
        "/tasks", "missing", "A published handout needs at least one task.")

    /// Something is already recorded for a task, and the request to remove it does not confirm that.
    static func tasksBegun(_ titles: [String]) -> Problem {
        Problem(
            409, "task_has_progress", "Students have begun tasks that would be removed.",
            detail:
                "Repeat the call with discardProgress=true to remove it with all that was recorded for it: "
                + titles.map { "“\($0)”" }.joined(separator: ", ") + ".")
    }

    /// A field that is set when a handout is created and cannot change.
    static func fixed(_ pointer: String, _ detail: String) -> Problem {
        invalid(pointer, "fixed", detail)
    }

    static let onlyAuthorsDraft = Problem.forbidden(
        "Only its author can make a handout a draft again: a draft is its author's alone.")

    static let tooManyHandouts = Problem(
        409, "too_many_handouts", "A class has at most 200 active handouts.",
        detail: "Complete or delete older ones first.")
}
