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
                .get, "/v1/classes", "List classes; teachers get those they teach",
                for: Self.readersAndTeachers, query: Self.classFilters + Endpoint.Parameter.page,
                answers: [
                    .page("Classes in the order of their ids.", of: DirectoryShapes.classShape)
                ],
                handler: listClasses),
            Endpoint(
                .post, "/v1/classes", "Add a class, with its teachers and students",
                for: Self.classWriters, body: body,
                answers: [.json("The new class.", answer, status: 201).tagged.located],
                problems: [
                    (
                        409,
                        "Another record has this sourceId, the term is closed, or the class is full."
                    )
                ], handler: addClass),
            Endpoint(
                .get, "/v1/classes/{id}", "Read a class", for: Self.readersAndTeachers,
                answers: [.json("The class.", answer).tagged, .unchanged], handler: findClass),
            Endpoint(
                .put, "/v1/classes/{id}", "Replace a class, or create it by source:ID",
                for: Self.classWriters, body: body,
                answers: [
                    .json("Replaced.", answer).tagged,
                    .json("Created.", answer, status: 201).tagged,
                ],
                problems: [
                    (409, "The term is closed, or the class is archived or full."),
                    (412, "It changed since you read it."),
                ], handler: putClass),
            Endpoint(
                .patch, "/v1/classes/{id}", "Change fields of a class", for: Self.classWriters,
                body: .json(DirectoryShapes.newClass.change("ClassChange")),
                answers: [.json("As it is now.", answer).tagged],
                problems: [
                    (409, "The term is closed, or the class is archived or full."),
                    (412, "It changed since you read it."),
                ], handler: changeClass),
            Self.removalEndpoint(
                "/v1/classes/{id}", "Delete a class without handouts, and its roster",
                for: Self.classWriters, handler: removeClass),
        ]
    }

    private static let classFilters: [Endpoint.Parameter] = [
        DirectoryShapes.locationParameter,
        .optional("courseId", .reference, "Only of this course."),
        .optional("termId", .reference, "Only in this term or one of its parts."),
        .optional("personId", .reference, "Only classes this person is in or teaches now."),
        .optional("teacherId", .reference, "Only classes this person teaches now."),
        .optional("studentId", .reference, "Only classes this person is in now."),
        .optional("status", .word(["active", "archived"]), "Only of this status."),
        DirectoryShapes.nameParameter, DirectoryShapes.sourceParameter,
        DirectoryShapes.updatedParameter,
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
        try await checkMayChange(request, caller)
        return try await put(request, caller, classKind(caller))
    }

    func changeClass(_ request: Request, _ caller: Caller) async throws -> Response {
        try await checkMayChange(request, caller)
        return try await patch(request, caller, classKind(caller))
    }

    /// Its seats go with it, since nothing was given in it: no report counts them.
    func removeClass(_ request: Request, _ caller: Caller) async throws -> Response {
        try await checkMayChange(request, caller)
        let organization = caller.organizationID
        return try await remove(
            request, caller,
            Removal<ClassEntity>(
                subject: "class", find: { .lockClass($0, of: organization) },
                hanging: { .hanging(on: $0) }, remove: { .remove($0) }))
    }

    /// Says to a manager in words what the policies of class and seat would only hide: classes that an import
    /// brought are not a manager's to change.
    func checkMayChange(_ request: Request, _ caller: Caller) async throws {
        guard caller.standing == .manager else { return }
        let reference: Reference<ClassEntity> = try request.reference("id")
        let rows = try await database.query(
            .origin(of: reference, of: caller.organizationID), as: caller)
        guard try rows.count == 0 || rows[0].text("origin") == "manual" else {
            throw Problem.classImported
        }
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
                let place = try await place(
                    of: new, now: try found.optionalUUID("term_id"), session, caller)
                try await session.query(.replace(id, by: new, at: place, of: organization))
                try await replaceRosters(of: id, by: new, session, caller)
            },
            read: { .classAnswer(.id($0), of: organization) },
            sourceConstraint: "class_source_id_is_unique")
    }

    private func add(
        _ new: NewClass, _ id: ClassID, _ session: Session, _ caller: Caller
    ) async throws {
        let place = try await place(of: new, now: nil, session, caller)
        try await session.query(.add(new, id, at: place, to: caller.organizationID))
        try await replaceRosters(of: id, by: new, session, caller)
    }

    /// What a body refers to. A term has to be open, unless the class is in it already.
    private func place(
        of new: NewClass, now present: UUID?, _ session: Session, _ caller: Caller
    ) async throws -> ClassPlace {
        let organization = caller.organizationID
        let location = try await resolve(new.location, session, caller)
        var place = ClassPlace(location: location)
        if let course = new.course {
            let rows = try await session.query(.resolve(course, in: organization))
            place.course = try course.resolved(by: rows)[0]
        }
        if let term = new.term {
            let rows = try await session.query(.resolve(term, in: organization))
            let id = try term.resolved(by: rows)[0]
            let closed = try await session.query(.closedTerms(among: [id]))
            if closed.count > 0, id.uuid != present { throw Problem.termClosed }
            place.term = id
        }
        return place
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

/// Where a class belongs.
struct ClassPlace {
    let location: LocationID
    var course: CourseID?
    var term: TermID?
}
