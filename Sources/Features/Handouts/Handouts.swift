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
        givingEndpoints + changingEndpoints + publicationEndpoints + stateEndpoints
            + newcomerEndpoints + returnEndpoints + reviewEndpoints + commentEndpoints
            + markEndpoints + assignmentEndpoints
    }

    package var constraints: [String: Problem] {
        [
            "handout_is_completed_after_publication": .handoutNotPublished,
            "class_has_room_for_handouts": .tooManyHandouts,
            "handout_taken_back_is_not_begun": .handoutBegun,
            "handout_class_is_not_archived": .classArchived,
            "comments_of_a_student_have_room": .tooManyComments,
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
                    .optional("classId", .reference, "Only those of this class."),
                    .optional(
                        "state", .word(HandoutShapes.states),
                        "Only handouts in this state; archived ones are listed with `archived` only."
                    ),
                    .optional("dueBefore", .timestamp, "Only handouts due before this moment."),
                    .optional(
                        "updatedSince", .timestamp, "Only handouts changed at or after this moment."
                    ),
                    .optional("order", .word(HandoutFilter.orders), HandoutFilter.orderMeaning),
                    .optional(
                        "counts", .boolean,
                        "true: adds `counts` to each handout: how many students have it, are done, are late."
                    ),
                ], answers: [.page("The handouts.", of: HandoutShapes.handout).negotiated],
                reads: .replica, handler: listHandouts),
            Endpoint(
                .post, "/v1/handouts", "Create a handout for a class or some of its students",
                description: "Without `publishAt` it is a draft, which only you see.",
                for: [.teacher], body: .json(.object(HandoutShapes.newHandout)),
                answers: [.json("The handout.", handout, status: 201).tagged.located.negotiated],
                problems: [
                    (409, "The class is archived, or has 200 active handouts."),
                    (
                        422,
                        "A class, student, context or app does not exist, or cannot be assigned."
                    ),
                ], handler: give),
            Endpoint(
                .get, "/v1/handouts/{id}", "Find a handout and its tasks",
                for: [.teacher, .student],
                answers: [.json("The handout.", handout).tagged.negotiated, .unchanged.negotiated],
                handler: findHandout),
            Endpoint(
                .delete, "/v1/handouts/{id}", "Remove a handout for good",
                description: """
                    It disappears for teachers and students, with everything recorded for it. This cannot be \
                    undone.
                    """, for: [.teacher],
                answers: [.empty(204, "Removed.")],
                problems: [(412, "It changed since you read it.")], handler: removeHandout),
        ]
    }

    private var changingEndpoints: [Endpoint] {
        let handout = Endpoint.Answer.json("As it is now.", .object(HandoutShapes.handout)).tagged
            .negotiated
        let discard = Endpoint.Parameter.optional(
            "discardProgress", .boolean,
            "true: removes tasks with what is recorded for them. Otherwise tasks with records are not removed."
        )
        let problems = [
            (status: 403, meaning: "A colleague's handout cannot become a draft."),
            (
                409,
                "The handout is completed, its class is archived, or students have begun what would be removed or become a draft."
            ),
            (412, "It changed since you read it."),
            (
                422,
                "Something does not exist, cannot be assigned, or is fixed once a handout or a task exists."
            ),
        ]
        return [
            Endpoint(
                .put, "/v1/handouts/{id}",
                "Replace a handout; unchanged tasks, and those named by id, stay",
                for: [.teacher], query: [discard], body: .json(.object(HandoutShapes.newHandout)),
                answers: [handout], problems: problems, handler: replace),
            Endpoint(
                .patch, "/v1/handouts/{id}", "Change fields of a handout",
                description: """
                    Students see changes of a published handout at once. Its author makes it a draft again with \
                    `publishAt` null, until a student has begun it.
                    """, for: [.teacher],
                query: [discard], body: .json(HandoutShapes.change), answers: [handout],
                problems: problems, handler: amend),
            Endpoint(
                .post, "/v1/handouts/{id}/copy",
                "Copy a handout as your draft, to this or another class",
                description: """
                    The copy has the title, the instructions and the tasks, but no dates and nothing of the \
                    students.
                    """,
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
                .put, "/v1/handouts/{id}/lock", "Lock a handout: nothing more is recorded",
                description: "Students still see it, but cannot mark their work.",
                for: [.teacher], answers: [handout],
                problems: stale + [(409, "The handout is not published yet, or is completed.")],
                handler: lock),
            Endpoint(
                .delete, "/v1/handouts/{id}/lock", "Unlock a handout",
                description:
                    "Recording goes on. What students did while it was locked is not recorded afterwards.",
                for: [.teacher],
                answers: [handout], problems: stale + [(409, "The class is archived.")],
                handler: unlock),
            Endpoint(
                .put, "/v1/handouts/{id}/archive", "Archive a completed handout",
                description: "Lists show it only with `state=archived`. The report stays.",
                for: [.teacher], answers: [handout],
                problems: stale + [(409, "The handout is not completed.")], handler: archive),
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
                    .optional(
                        "state", .word(["upcoming", "completed"]),
                        "Only assignments still to do, or only those done."),
                    .optional("classId", .reference, "Only those of this class."),
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
                .put, "/v1/assignments/{id}/opened", "Mark an assignment as opened",
                description: "The first attempt in an app opens it, too.",
                for: [.student], answers: [assignment], handler: open),
            Endpoint(
                .delete, "/v1/assignments/{id}/opened", "Mark an assignment as not opened",
                for: [.student],
                answers: [assignment], handler: close),
            Endpoint(
                .put, "/v1/assignments/{id}/done", "Mark an assignment as done",
                description: "Done is independent of the progress that an app reports.",
                for: [.student],
                answers: [assignment], problems: locked, handler: markDone),
            Endpoint(
                .delete, "/v1/assignments/{id}/done", "Mark an assignment as not done",
                for: [.student],
                answers: [assignment], problems: locked, handler: markUndone),
        ]
    }
}
