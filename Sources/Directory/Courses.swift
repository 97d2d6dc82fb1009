import Crypto
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
                    DirectoryShapes.locationParameter, DirectoryShapes.sourceParameter,
                    DirectoryShapes.updatedParameter,
                ] + Endpoint.Parameter.page,
                answers: [.page("Courses in the order of their ids.", of: DirectoryShapes.course)],
                handler: listCourses),
            Endpoint(
                .post, "/v1/courses", "Add a course", for: Self.writers, body: body,
                answers: [.json("The new course.", course, status: 201)],
                problems: [(409, "Another one has the sourceId.")], handler: addCourse),
            Endpoint(
                .get, "/v1/courses/{id}", "Read a course", for: Self.readersAndTeachers,
                answers: [.json("The course.", course), Self.unchanged], handler: findCourse),
            Endpoint(
                .put, "/v1/courses/{id}", "Replace a course; by source:ID also create it",
                for: Self.writers, body: body,
                answers: [.json("Replaced.", course), .json("Created.", course, status: 201)],
                problems: [(412, "It was changed in the meantime.")], handler: putCourse),
        ]
    }

    func listCourses(_ request: Request, _ caller: Caller) async throws -> Response {
        try await page(request, caller) { after, limit in
            .courses(
                of: caller.organizationID, at: request.queryReference("locationId"),
                sourceID: request.query("sourceId"),
                updatedSince: request.queryTimestamp("updatedSince"), after: after, limit: limit)
        }
    }

    func findCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<CourseEntity> = try request.reference("id")
        return try .object(
            try await database.query(.course(reference, of: caller.organizationID), as: caller))
    }

    func addCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        let course = try NewCourse(try await request.body(), at: nil)
        let id = CourseID(.v7())
        return try await database.transaction(as: caller) { session in
            let location = try await resolve(course.location, session, caller)
            try await session.query(.add(course, id, at: location, to: caller.organizationID))
            let rows = try await session.query(.course(.id(id), of: caller.organizationID))
            return try .object(rows, status: 201).located(at: "/v1/courses/\(id.uuid)")
        }
    }

    func putCourse(_ request: Request, _ caller: Caller) async throws -> Response {
        let course = try NewCourse(try await request.body(), at: request.path("id"))
        let organization = caller.organizationID
        return try await put(
            request, caller,
            PutSteps<CourseEntity>(
                find: { .lockCourse($0, of: organization) },
                create: { session, id in
                    let location = try await resolve(course.location, session, caller)
                    try await session.query(.add(course, id, at: location, to: organization))
                },
                replace: { session, id, _ in
                    let location = try await resolve(course.location, session, caller)
                    try await session.query(
                        .replace(id, by: course, at: location, of: organization))
                },
                read: { .course(.id($0), of: organization) },
                sourceConstraint: "course_source_id_is_unique"))
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

    /// - Parameter path: how the path names it, if it does.
    init(_ body: Fields, at path: String?) throws {
        name = body.text("name")!
        sourceID = try body.sourceID(at: path)
        number = body.text("number")
        location = Referring([body.text("locationId")!], pointers: ["/locationId"])
    }
}
