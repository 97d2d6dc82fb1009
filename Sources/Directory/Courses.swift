import HTTPWire
import Postgres
import School

extension Directory {
    var courseEndpoints: [Endpoint] {
        let course = Shape.object(DirectoryShapes.course)
        let body = Endpoint.Body.json(.object(DirectoryShapes.newCourse))
        return [
            Endpoint(
                .get, "/v1/courses", "List the courses", for: Self.readersAndTeachers,
                query: [
                    DirectoryShapes.locationParameter, DirectoryShapes.nameParameter,
                    DirectoryShapes.sourceParameter,
                    DirectoryShapes.updatedParameter,
                ] + Endpoint.Parameter.page,
                answers: [.page("Courses in the order of their ids.", of: DirectoryShapes.course)],
                handler: listCourses),
            Endpoint(
                .post, "/v1/courses", "Add a course", for: Self.writers, body: body,
                answers: [.json("The new course.", course, status: 201).tagged.located],
                problems: [(409, "Another record has this sourceId.")], handler: addCourse),
            Endpoint(
                .get, "/v1/courses/{id}", "Read a course", for: Self.readersAndTeachers,
                answers: [.json("The course.", course).tagged, .unchanged], handler: findCourse),
            Endpoint(
                .put, "/v1/courses/{id}", "Replace a course, or create it by source:ID",
                for: Self.writers, body: body,
                answers: [
                    .json("Replaced.", course).tagged,
                    .json("Created.", course, status: 201).tagged,
                ],
                problems: [(412, "It changed since you read it.")], handler: putCourse),
            Endpoint(
                .patch, "/v1/courses/{id}", "Change fields of a course", for: Self.writers,
                body: .json(DirectoryShapes.newCourse.change("CourseChange")),
                answers: [.json("As it is now.", course).tagged],
                problems: [(412, "It changed since you read it.")], handler: changeCourse),
            Self.removalEndpoint(
                "/v1/courses/{id}", "Delete a course without classes", for: Self.writers,
                handler: removeCourse),
        ]
    }

    func listCourses(_ request: Request, _ caller: Caller) async throws -> Response {
        try await page(request, caller) { after, limit in
            .courses(
                of: caller.organizationID, at: request.queryReference("locationId"),
                name: request.query("q"), sourceID: request.query("sourceId"),
                updatedSince: request.queryTimestamp("updatedSince"), after: after, limit: limit)
        }
    }

    func findCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<CourseEntity> = try request.reference("id")
        return try .object(
            try await database.query(.course(reference, of: caller.organizationID), as: caller))
    }

    func addCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        try await post(request, caller, courseKind(caller))
    }

    func putCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        try await put(request, caller, courseKind(caller))
    }

    func changeCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        try await patch(request, caller, courseKind(caller))
    }

    func removeCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        let organization = caller.organizationID
        return try await remove(
            request, caller,
            Removal<CourseEntity>(
                subject: "course", find: { .lockCourse($0, of: organization) },
                hanging: { .hanging(on: $0, of: organization) },
                remove: { .remove($0, of: organization) }))
    }

    private func courseKind(_ caller: Caller) -> Kind<CourseEntity> {
        let organization = caller.organizationID
        return Kind(
            shape: DirectoryShapes.newCourse,
            find: { .lockCourse($0, of: organization) },
            create: { session, id, sent in
                let course = try NewCourse(sent)
                let location = try await resolve(course.location, session, caller)
                try await session.query(.add(course, id, at: location, to: organization))
            },
            replace: { session, id, sent, _ in
                let course = try NewCourse(sent)
                let location = try await resolve(course.location, session, caller)
                try await session.query(.replace(id, by: course, at: location, of: organization))
            },
            read: { .course(.id($0), of: organization) },
            sourceConstraint: "course_source_id_is_unique")
    }

    /// The location that a body names.
    func resolve(
        _ references: Referring<LocationEntity>, _ session: Session, _ caller: Caller
    ) async throws -> LocationID {
        let rows = try await session.query(.resolve(references, in: caller.organizationID))
        return try references.resolved(by: rows)[0]
    }
}

/// A course as it is sent.
struct NewCourse {
    let name: String
    let sourceID: String?
    let number: String?
    let location: Referring<LocationEntity>

    init(_ sent: Sent) throws {
        let body = sent.body
        name = body.text("name")!
        sourceID = try sent.sourceID()
        number = body.text("number")
        location = Referring([body.text("locationId")!], pointers: ["/locationId"])
    }
}
