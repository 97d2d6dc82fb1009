import API
import HTTPWire
import Postgres
import School

/// What a teacher has to look at today.
extension Reports {
    var overviewEndpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/overview",
                "Read what is due, late and to review in your classes",
                for: [.teacher],
                answers: [.json("The overview.", .object(.teachingOverview))],
                problems: Self.forTeachers, cost: 5, reads: .replica, handler: overview)
        ]
    }

    private func overview(_ request: Request, _ caller: Caller) async throws -> Response {
        try .object(await database.longQuery(.teachingOverview, as: caller))
    }
}

extension Statement {
    fileprivate static let teachingOverview: Statement = """
        select generated_at, due_this_week, late, to_review from school.teaching_overview()
        """
}

extension ObjectShape {
    /// Published handouts of all classes that a teacher has, by what there is to do about them.
    fileprivate static let teachingOverview = ObjectShape(
        "TeachingOverview",
        [
            .required("generatedAt", .timestamp),
            .required(
                "dueThisWeek", handouts,
                "Handouts due from now to the end of the sixth day after today, in the time zone of the "
                    + "organization; those due first come first."),
            .required(
                "late", handouts,
                "Handouts due in the past that a student has not done; those due last come first."),
            .required(
                "toReview", handouts,
                "Handouts with a task that a student did in the last 7 days and that you have neither "
                    + "returned nor marked as looked at since, or with comments that you have not marked "
                    + "as read; the newest come first."),
        ])

    private static let handouts = Shape.array(.object(overviewHandout), count: 0...100)

    private static let overviewHandout = ObjectShape(
        "OverviewHandout",
        [
            .required("id", .uuid), .required("title", .line()), .required("classId", .uuid),
            .required("className", .line()), .required("publishAt", .timestamp),
            .orNull("dueAt", .timestamp), .required("locked", .boolean),
            .required(
                "counts",
                .fields(
                    "OverviewCounts",
                    [
                        .required("assigned", .integer(0...100_000)),
                        .required("done", .integer(0...100_000)),
                        .required("late", .integer(0...100_000)),
                        .required("overdue", .integer(0...100_000)),
                    ]), "As in a list of handouts."),
            .required(
                "studentsToReview", .integer(0...100_000),
                "Students whose work of the last 7 days was not given back."),
            .orNull("lastDoneAt", .timestamp, "When the latest of this work was done."),
            .orNull(
                "workDigest", .text(32...32),
                "Stands for the work to review. `PUT /v1/handouts/{id}/reviewed` with it marks no other work."
            ),
            .required(
                "studentsWithNewComments", .integer(0...100_000),
                "Students who wrote what you have not marked as read."),
            .orNull("lastCommentAt", .timestamp, "When the latest of it was written."),
        ])
}
