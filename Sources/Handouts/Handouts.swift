import API
import HTTPServer
import HTTPWire
import School

/// What teachers give to their classes, and what students do about it.
///
/// `SQL/policies/handouts.sql` decides who may read, give or change a handout; this code never does.
package struct Handouts: Feature {
    package let meaning = "Homework: handouts, tasks, assignments, and returning work."
    let database: Database
    let viewings: Viewings

    package init(database: Database, viewings: Viewings) {
        self.database = database
        self.viewings = viewings
    }

    package var endpoints: [Endpoint] {
        givingEndpoints + changingEndpoints + stateEndpoints + newcomerEndpoints + returnEndpoints
            + assignmentEndpoints
    }

    package var constraints: [String: Problem] {
        [
            "handout_is_completed_after_publication": .handoutNotPublished,
            "class_has_room_for_handouts": .tooManyHandouts,
            "handout_taken_back_is_not_begun": .handoutBegun,
            "handout_class_is_not_archived": .classArchived,
            // A task is removed while a student marks it: the later call must be repeated.
            "assignment_task": .contended,
        ]
    }

    private var givingEndpoints: [Endpoint] {
        let handout = Shape.object(HandoutShapes.handout)
        return [
            Endpoint(
                .get, "/v1/handouts",
                "List the handouts of your classes",
                for: [.teacher],
                query: Endpoint.Parameter.page + [
                    .optional("classId", .reference, "Of this class."),
                    .optional(
                        "state", .word(HandoutShapes.states),
                        "In this state; archived ones are listed with `archived` only."),
                    .optional("dueBefore", .timestamp, "Due before this moment."),
                    .optional("updatedSince", .timestamp, "Changed at or after this moment."),
                    .optional("order", .word(HandoutFilter.orders), HandoutFilter.orderMeaning),
                    .optional(
                        "counts", .boolean,
                        "With `counts` in each handout: how many students have it, are done, are late."
                    ),
                ], answers: [.page("The handouts.", of: HandoutShapes.handout).negotiated],
                reads: .replica, handler: listHandouts),
            Endpoint(
                .post, "/v1/handouts", "Create a handout for a class or some of its students",
                for: [.teacher], body: .json(.object(HandoutShapes.newHandout)),
                answers: [.json("The handout.", handout, status: 201).tagged.located.negotiated],
                problems: [
                    (409, "The class is archived, or has 200 active handouts."),
                    (422, "A class, student, context or app that is not there, or not assignable."),
                ], handler: give),
            Endpoint(
                .get, "/v1/handouts/{id}", "Find a handout and its tasks",
                for: [.teacher, .student],
                answers: [.json("The handout.", handout).tagged.negotiated, .unchanged.negotiated],
                handler: findHandout),
            Endpoint(
                .delete, "/v1/handouts/{id}", "Remove a handout for good", for: [.teacher],
                answers: [.empty(204, "Removed.")],
                problems: [(412, "It changed since you read it.")], handler: removeHandout),
        ]
    }

    private var changingEndpoints: [Endpoint] {
        let handout = Endpoint.Answer.json("As it is now.", .object(HandoutShapes.handout)).tagged
            .negotiated
        let discard = Endpoint.Parameter.optional(
            "discardProgress", .boolean,
            "Removes tasks with what is recorded for them; absent: such tasks are not removed.")
        let problems = [
            (status: 403, meaning: "A colleague's handout cannot become a draft."),
            (
                409,
                "It is completed, or its class archived; or what goes, or becomes a draft, is begun."
            ),
            (412, "It changed since you read it."),
            (422, "What is not there or not assignable, or what a handout or a task keeps."),
        ]
        return [
            Endpoint(
                .put, "/v1/handouts/{id}",
                "Replace a handout; unchanged tasks, and those named by id, stay",
                for: [.teacher], query: [discard], body: .json(.object(HandoutShapes.newHandout)),
                answers: [handout], problems: problems, handler: replace),
            Endpoint(
                .patch, "/v1/handouts/{id}", "Change fields of a handout", for: [.teacher],
                query: [discard], body: .json(HandoutShapes.change), answers: [handout],
                problems: problems, handler: amend),
            Endpoint(
                .post, "/v1/handouts/{id}/copy",
                "Copy a handout as your draft, to this or another class",
                for: [.teacher], body: .jsonIfAny(.object(HandoutShapes.copy)),
                answers: [
                    .json("The draft.", .object(HandoutShapes.handout), status: 201).tagged
                        .located.negotiated
                ],
                problems: [(409, "The class is archived."), (422, "There is no such class.")],
                handler: copy),
        ]
    }

    private var stateEndpoints: [Endpoint] {
        let handout = Endpoint.Answer.json("The handout.", .object(HandoutShapes.handout)).tagged
            .negotiated
        let stale = [(status: 412, meaning: "It changed since you read it.")]
        return [
            Endpoint(
                .post, "/v1/handouts/{id}/publication",
                "Publish a handout, now or later", for: [.teacher],
                body: .jsonIfAny(.object(HandoutShapes.publication)), answers: [handout],
                problems: stale + [
                    (409, "It is published or has no tasks, or the class has 200 active ones.")
                ],
                handler: publish),
            Endpoint(
                .post, "/v1/handouts/{id}/completion",
                "Complete a handout; this cannot be undone", for: [.teacher],
                answers: [handout], problems: stale + [(409, "It is not published yet.")],
                handler: complete),
            Endpoint(
                .put, "/v1/handouts/{id}/lock", "Lock a handout: nothing more is recorded",
                for: [.teacher], answers: [handout],
                problems: stale + [(409, "It is not published yet, or completed.")], handler: lock),
            Endpoint(
                .delete, "/v1/handouts/{id}/lock", "Unlock a handout", for: [.teacher],
                answers: [handout], problems: stale + [(409, "The class is archived.")],
                handler: unlock),
            Endpoint(
                .put, "/v1/handouts/{id}/archive", "Archive a completed handout",
                for: [.teacher], answers: [handout],
                problems: stale + [(409, "It is not completed.")], handler: archive),
            Endpoint(
                .delete, "/v1/handouts/{id}/archive", "Bring a handout back from the archive",
                for: [.teacher],
                answers: [handout], problems: stale + [(409, "The class is archived.")],
                handler: unarchive),
        ]
    }

    private var assignmentEndpoints: [Endpoint] {
        let assignment = Endpoint.Answer.json(
            "The assignment.", .object(AssignmentShapes.assignment)
        ).negotiated
        let locked = [(status: 409, meaning: "The handout is locked or completed.")]
        return [
            Endpoint(
                .get, "/v1/me/assignments", "List your assignments",
                for: [.student],
                query: Endpoint.Parameter.page + [
                    .optional("state", .word(["upcoming", "completed"]), "Still to do, or done."),
                    .optional("classId", .reference, "Of this class."),
                    .optional(
                        "order", .word(HandoutFilter.orders), AssignmentFilter.orderMeaning),
                ], answers: [.page("The assignments.", of: AssignmentShapes.assignment).negotiated],
                reads: .replica, handler: listAssignments),
            Endpoint(
                .get, "/v1/me/handouts/{id}", "Find a handout you have, with your assignments",
                for: [.student],
                answers: [
                    .json("The handout.", .object(AssignmentShapes.ownHandout)).negotiated
                ], handler: findOwnHandout),
            Endpoint(
                .put, "/v1/assignments/{id}/opened", "Mark an assignment opened",
                for: [.student], answers: [assignment], handler: open),
            Endpoint(
                .delete, "/v1/assignments/{id}/opened", "Mark an assignment not opened",
                for: [.student],
                answers: [assignment], handler: close),
            Endpoint(
                .put, "/v1/assignments/{id}/done", "Mark an assignment done", for: [.student],
                answers: [assignment], problems: locked, handler: markDone),
            Endpoint(
                .delete, "/v1/assignments/{id}/done", "Mark an assignment not done",
                for: [.student],
                answers: [assignment], problems: locked, handler: markUndone),
        ]
    }
}
