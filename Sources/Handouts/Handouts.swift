import HTTPServer
import HTTPWire
import School

/// What teachers give to their classes, and what students do about it.
///
/// Who may read, give or change one is decided in `SQL/policies/handouts.sql`, never here.
package struct Handouts: Feature {
    let database: Database

    package init(database: Database) {
        self.database = database
    }

    package var endpoints: [Endpoint] {
        givingEndpoints + stateEndpoints + assignmentEndpoints
    }

    package var constraints: [String: Problem] {
        ["handout_is_completed_after_publication": .handoutNotPublished]
    }

    private var givingEndpoints: [Endpoint] {
        let handout = Shape.object(HandoutShapes.handout)
        return [
            Endpoint(
                .get, "/v1/handouts", "The handouts of the own classes, the newest first.",
                for: [.teacher],
                query: Endpoint.Parameter.page + [
                    .optional("classId", .reference, "Of this class."),
                    .optional("state", .word(HandoutShapes.states), "In this state."),
                    .optional("dueBefore", .timestamp, "Due before this moment."),
                    .optional("updatedSince", .timestamp, "Changed at or after this moment."),
                ], answers: [.page("The handouts.", of: HandoutShapes.handout)],
                handler: listHandouts),
            Endpoint(
                .post, "/v1/handouts", "Gives homework to a class, or to students of it.",
                for: [.teacher], body: .json(.object(HandoutShapes.newHandout)),
                answers: [.json("The handout.", handout, status: 201).tagged.located],
                problems: [
                    (409, "The class is archived, or has 200 active handouts."),
                    (422, "A class, student or context that is not there, or not assignable."),
                ], handler: give),
            Endpoint(
                .get, "/v1/handouts/{id}", "One handout with its tasks.",
                for: [.teacher, .student],
                answers: [.json("The handout.", handout).tagged, .unchanged],
                handler: findHandout),
            Endpoint(
                .delete, "/v1/handouts/{id}", "Removes a handout for good.", for: [.teacher],
                answers: [.empty(204, "It is gone.")],
                problems: [(412, "It was changed in the meantime.")], handler: removeHandout),
        ]
    }

    private var stateEndpoints: [Endpoint] {
        let handout = Endpoint.Answer.json("The handout.", .object(HandoutShapes.handout)).tagged
        let stale = [(status: 412, meaning: "It was changed in the meantime.")]
        return [
            Endpoint(
                .post, "/v1/handouts/{id}/publication",
                "Publishes a handout, now or from a moment on.", for: [.teacher],
                body: .jsonIfAny(.object(HandoutShapes.publication)), answers: [handout],
                problems: stale + [(409, "It is published, or the class has 200 active ones.")],
                handler: publish),
            Endpoint(
                .post, "/v1/handouts/{id}/completion",
                "Ends the work on a handout; this cannot be undone.", for: [.teacher],
                answers: [handout], problems: stale + [(409, "It is not published yet.")],
                handler: complete),
            Endpoint(
                .put, "/v1/handouts/{id}/lock", "Pauses the work: nothing more is recorded.",
                for: [.teacher], answers: [handout],
                problems: stale + [(409, "It is not published yet, or completed.")], handler: lock),
            Endpoint(
                .delete, "/v1/handouts/{id}/lock", "Lets the work go on.", for: [.teacher],
                answers: [handout], problems: stale, handler: unlock),
        ]
    }

    private var assignmentEndpoints: [Endpoint] {
        let assignment = Endpoint.Answer.json(
            "The assignment.", .object(AssignmentShapes.assignment))
        let locked = [(status: 409, meaning: "The handout is locked or completed.")]
        return [
            Endpoint(
                .get, "/v1/me/assignments", "The own assignments, the newest first.",
                for: [.student],
                query: Endpoint.Parameter.page + [
                    .optional("state", .word(["upcoming", "completed"]), "Still to do, or done.")
                ], answers: [.page("The assignments.", of: AssignmentShapes.assignment)],
                handler: listAssignments),
            Endpoint(
                .put, "/v1/assignments/{id}/opened", "Notes that the student opened it.",
                for: [.student], answers: [assignment], handler: open),
            Endpoint(
                .delete, "/v1/assignments/{id}/opened", "Takes that back.", for: [.student],
                answers: [assignment], handler: close),
            Endpoint(
                .put, "/v1/assignments/{id}/done", "Marks it done.", for: [.student],
                answers: [assignment], problems: locked, handler: markDone),
            Endpoint(
                .delete, "/v1/assignments/{id}/done", "Marks it not done.", for: [.student],
                answers: [assignment], problems: locked, handler: markUndone),
        ]
    }
}
