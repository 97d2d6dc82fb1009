import HTTPWire
import Postgres
import School
import Values

extension Directory {
    var classEndpoints: [Endpoint] {
        let answer = Shape.object(DirectoryShapes.classShape)
        let body = Endpoint.Body.json(.object(DirectoryShapes.newClass))
        return [
            Endpoint(
                .get, "/v1/classes", "List classes; a teacher's are those that he or she teaches",
                for: Self.readersAndTeachers, query: Self.classFilters + Endpoint.Parameter.page,
                answers: [
                    .page("Classes in the order of their ids.", of: DirectoryShapes.classShape)
                ],
                handler: listClasses),
            Endpoint(
                .post, "/v1/classes", "Add a class, with its rosters if they are sent",
                for: Self.writers, body: body,
                answers: [.json("The new class.", answer, status: 201).tagged.located],
                problems: [(409, "Another one has the sourceId.")], handler: addClass),
            Endpoint(
                .get, "/v1/classes/{id}", "Read a class", for: Self.readersAndTeachers,
                answers: [.json("The class.", answer).tagged, .unchanged], handler: findClass),
            Endpoint(
                .put, "/v1/classes/{id}", "Replace a class; by source:ID also create it",
                for: Self.writers, body: body,
                answers: [
                    .json("Replaced.", answer).tagged,
                    .json("Created.", answer, status: 201).tagged,
                ],
                problems: [(412, "It was changed in the meantime.")], handler: putClass),
            Endpoint(
                .patch, "/v1/classes/{id}", "Change fields of a class", for: Self.writers,
                body: .json(DirectoryShapes.newClass.change("ClassChange")),
                answers: [.json("As it is now.", answer).tagged],
                problems: [(412, "It was changed in the meantime.")], handler: changeClass),
        ]
    }

    private static let classFilters: [Endpoint.Parameter] = [
        DirectoryShapes.locationParameter,
        .optional("courseId", .reference, "Only of this course."),
        .optional("teacherId", .reference, "Only which this person teaches now."),
        .optional("studentId", .reference, "Only in which this person sits now."),
        .optional("status", .word(["active", "archived"]), "Only of this status."),
        DirectoryShapes.sourceParameter, DirectoryShapes.updatedParameter,
    ]

    func listClasses(_ request: Request, _ caller: Caller) async throws -> Response {
        let filter = ClassFilter(request)
        return try await page(request, caller) { after, limit in
            .classes(of: caller.organizationID, filter, after: after, limit: limit)
        }
    }

    func findClass(_ request: Request, _ caller: Caller) async throws -> Response {
        let reference: Reference<ClassEntity> = try request.reference("id")
        return try .object(
            try await database.query(
                .classAnswer(reference, of: caller.organizationID), as: caller))
    }

    func addClass(_ request: Request, _ caller: Caller) async throws -> Response {
        try await post(request, caller, classKind(caller))
    }

    func putClass(_ request: Request, _ caller: Caller) async throws -> Response {
        try await put(request, caller, classKind(caller))
    }

    func changeClass(_ request: Request, _ caller: Caller) async throws -> Response {
        try await patch(request, caller, classKind(caller))
    }

    private func classKind(_ caller: Caller) -> Kind<ClassEntity> {
        let organization = caller.organizationID
        return Kind(
            shape: DirectoryShapes.newClass,
            find: { .lockClass($0, of: organization) },
            create: { session, id, sent in try await add(try NewClass(sent), id, session, caller) },
            replace: { session, id, sent, found in
                let new = try NewClass(sent)
                if new.teachers != nil || new.students != nil { try Self.checkOpen(found) }
                let location = try await resolve(new.location, session, caller)
                let course = try await resolveCourse(of: new, session, caller)
                try await session.query(
                    .replace(id, by: new, at: location, course: course, of: organization))
                try await replaceRosters(of: id, by: new, session, caller)
            },
            read: { .classAnswer(.id($0), of: organization) },
            sourceConstraint: "class_source_id_is_unique")
    }

    private func add(
        _ new: NewClass, _ id: ClassID, _ session: Session, _ caller: Caller
    ) async throws {
        let location = try await resolve(new.location, session, caller)
        let course = try await resolveCourse(of: new, session, caller)
        try await session.query(
            .add(new, id, at: location, course: course, to: caller.organizationID))
        try await replaceRosters(of: id, by: new, session, caller)
    }

    private func resolveCourse(
        of new: NewClass, _ session: Session, _ caller: Caller
    ) async throws -> CourseID? {
        guard let course = new.course else { return nil }
        let rows = try await session.query(.resolve(course, in: caller.organizationID))
        return try course.resolved(by: rows)[0]
    }

    private func replaceRosters(
        of id: ClassID, by new: NewClass, _ session: Session, _ caller: Caller
    ) async throws {
        if let teachers = new.teachers {
            try await replaceRoster(of: id, .teacher, by: teachers, session, caller)
        }
        if let students = new.students {
            try await replaceRoster(of: id, .student, by: students, session, caller)
        }
    }

    /// Refuses changes of the rosters of a class that is archived.
    static func checkOpen(_ found: Row) throws {
        if try found.optionalTimestamp("archived_at") != nil { throw Problem.classArchived }
    }
}

/// A class as it is sent.
struct NewClass {
    let name: String
    let sourceID: String?
    let number: String?
    let displayName: String?
    let room: String?
    let location: Referring<LocationEntity>
    let course: Referring<CourseEntity>?
    /// `nil`: a `PUT` keeps them.
    let teachers: Referring<PersonEntity>?
    let students: Referring<PersonEntity>?

    init(_ sent: Sent) throws {
        let body = sent.body
        name = body.text("name")!
        sourceID = try sent.sourceID()
        number = body.text("number")
        displayName = body.text("displayName")
        room = body.text("room")
        location = Referring([body.text("locationId")!], pointers: ["/locationId"])
        course = body.text("courseId").map { Referring([$0], pointers: ["/courseId"]) }
        teachers = body.texts("teacherIds").map { Referring($0, at: "/teacherIds") }
        students = body.texts("studentIds").map { Referring($0, at: "/studentIds") }
    }
}

/// Which classes a list holds.
struct ClassFilter {
    let location: Reference<LocationEntity>?
    let course: Reference<CourseEntity>?
    let teacher: Reference<PersonEntity>?
    let student: Reference<PersonEntity>?
    let status: String?
    let sourceID: String?
    let updatedSince: Timestamp?

    init(_ request: Request) {
        location = request.queryReference("locationId")
        course = request.queryReference("courseId")
        teacher = request.queryReference("teacherId")
        student = request.queryReference("studentId")
        status = request.query("status")
        sourceID = request.query("sourceId")
        updatedSince = request.queryTimestamp("updatedSince")
    }
}
