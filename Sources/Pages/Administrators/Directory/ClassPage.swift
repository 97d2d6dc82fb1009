import HTTPWire
import JSONBytes
import Values

enum ClassPageText: String, TextKey {
    case edit, about, asOf, look, today, asOfDay, teachers, students, noTeachers
    case noStudents, takeOut, takeOutOf, add, whom, whomHint, role, teacher, student, addButton
    case errorTitle, errorNobody, errorSeveral, errorFull, errorArchived, imported
    case sheet, app, events, whichTitle, archivedNote
    case noticeAdded, noticeTakenOut

    static let section = "classPage"
}

/// `/school/classes/{id}`: who teaches and who learns in a class, now or on another day.
enum ClassPage: Screen {
    static var pages: [Page] {
        [
            .get("/school/classes/{id}", for: .manager) { visit in
                .view(view(try await load(visit), SeatForm(), visit))
            },
            .post("/school/classes/{id}/seats", for: .peopleManager, add),
            .post("/school/classes/{id}/{role}/{person}/end", for: .peopleManager, takeOut),
        ]
    }

    struct Content: Sendable {
        let document: JSONValue
        let teachers: [DirectoryPerson]
        let students: [DirectoryPerson]
        let locations: Locations
        let course: String?
        let term: String?
        /// `nil` for now.
        let day: Day?

        var name: String { document["displayName"]?.text ?? document["name"]?.text ?? "" }
        var isArchived: Bool { document["status"]?.text == "archived" }
    }

    /// What was typed to add someone, and what is wrong with it.
    struct SeatForm: Sendable {
        var words = ""
        var role = "student"
        var problems = FormProblems.none
        /// Those who might be meant.
        var candidates: [DirectoryPerson] = []
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        let day = visit.query("asOf").flatMap { Day($0) }
        let document = try await visit.api.get("/v1/classes/\(id)")
        async let teachers = people("teachers", id, day, visit)
        async let students = people("students", id, day, visit)
        async let locations = Locations.load(visit.api)
        async let course = name("courses", document["courseId"]?.text, visit)
        async let term = name("terms", document["termId"]?.text, visit)
        return try await Content(
            document: document, teachers: teachers, students: students, locations: locations,
            course: course, term: term, day: day)
    }

    private static func people(
        _ segment: String, _ id: String, _ day: Day?, _ visit: Visit
    ) async throws -> [DirectoryPerson] {
        let path: LocalPath = "/v1/classes/\(id)/\(segment)"
        return try await Console.all(path.with("asOf", day?.description), visit.api)
            .compactMap { DirectoryPerson($0) }
    }

    private static func name(
        _ segment: String, _ id: String?, _ visit: Visit
    ) async throws -> String? {
        guard let id else { return nil }
        return try await visit.api.get("/v1/\(segment)/\(id)")["name"]?.text
    }

    // MARK: Seats

    private static func add(_ form: Form, _ visit: Visit) async throws -> Answer {
        var seat = SeatForm()
        seat.words = String(form["whom"].trimmed)
        seat.role = form["role"] == "teacher" ? "teacher" : "student"
        let people = try await found(form["person"].nilIfEmpty, seat.words, visit)
        guard let person = people.first, people.count == 1 else {
            seat.candidates = people
            seat.problems.add(
                "whom",
                visit.texts(people.isEmpty ? ClassPageText.errorNobody : .errorSeveral))
            return .view(view(try await load(visit), seat, visit).refused())
        }
        do {
            try await visit.api.put(
                "/v1/classes/\(visit["id"])/\(seat.role + "s")/\(person.id)", [:])
        } catch let refusal as Refusal {
            let key = try reason(refusal)
            seat.problems.add("whom", visit.texts(key))
            return .view(view(try await load(visit), seat, visit).refused(refusal))
        }
        return .redirect(
            "/school/classes/\(visit["id"])", notice: Notice(ClassPageText.noticeAdded))
    }

    /// - Parameter id: of someone who was chosen from those whom the words might mean.
    private static func found(
        _ id: String?, _ words: String, _ visit: Visit
    ) async throws -> [DirectoryPerson] {
        if let id {
            return [DirectoryPerson(try await visit.api.get("/v1/people/\(id)"))].compactMap { $0 }
        }
        guard !words.isEmpty else { return [] }
        let page = try await visit.api.get(
            LocalPath("/v1/people?limit=20").with(words.contains("@") ? "managedId" : "q", words))
        return (page["items"]?.array ?? []).compactMap { DirectoryPerson($0) }
    }

    private static func takeOut(_ form: Form, _ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        let segment = visit["role"] == "teacher" ? "teachers" : "students"
        do {
            try await visit.api.delete("/v1/classes/\(id)/\(segment)/\(visit["person"])")
        } catch let refusal as Refusal where refusal.status != 404 {
            return .view(
                Console.refused(
                    visit.texts(try reason(refusal)), back: "/school/classes/\(id)",
                    refusal.status, visit.texts))
        }
        return .redirect(
            "/school/classes/\(id)", notice: Notice(ClassPageText.noticeTakenOut))
    }

    private static func reason(_ refusal: Refusal) throws -> ClassPageText {
        switch (refusal.status, refusal.code) {
        case (_, "class_full"): return .errorFull
        case (_, "class_archived"): return .errorArchived
        case (403, _): return .imported
        default: throw refusal
        }
    }

    // MARK: The page

    private static func view(_ content: Content, _ seat: SeatForm, _ visit: Visit) -> View {
        let texts = visit.texts
        let id = visit["id"]
        let changes = visit.person?.belongs(to: .peopleManager) == true
        let seats = changes && !content.isArchived && content.day == nil
        let title = content.name
        return View(
            seat.problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])
        ) {
            div {
                Console.crumbs(texts, [("/school/classes", .text(texts(SchoolClassText.title)))])
                heading(
                    title, below: (content.document["number"]?.text).map(written) ?? .nothing,
                    tags: ClassList.state(content.document, texts)
                ) {
                    if changes {
                        a(.class("button"), .href("/school/classes/\(id)/edit")) {
                            Icon.draft.html
                            texts(ClassPageText.edit)
                        }
                    }
                }
            }
            seat.problems.summary(texts(ClassPageText.errorTitle))
            if content.isArchived {
                notice(.info, .completed) { p { texts(ClassPageText.archivedNote) } }
            }
            div(.class("two")) {
                div(.class("stack")) {
                    about(content, visit)
                    asOf(content, visit)
                    roster(content.teachers, "teacher", mayEnd: seats, content.name, visit)
                    roster(content.students, "student", mayEnd: seats, content.name, visit)
                }
                div(.class("stack")) {
                    if seats { ClassSeatForms.card(seat, visit) }
                    links(content, visit)
                }
            }
        }
    }

    private static func about(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let none = texts(ConsoleText.none)
        func fact(_ key: SchoolClassText, _ value: String?) -> HTML {
            Console.fact(texts(key), value.map(written) ?? .text(none))
        }
        let document = content.document
        return section(.class("card")) {
            h2 { texts(ClassPageText.about) }
            dl(.class("facts")) {
                fact(.location, document["locationId"]?.text.flatMap { content.locations.name($0) })
                fact(.course, content.course)
                fact(.term, content.term)
                fact(.room, document["room"]?.text)
                fact(.sourceID, document["sourceId"]?.text)
            }
        }
    }

    private static func asOf(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return getForm("/school/classes/\(visit["id"])", .class("filter no-print")) {
            div(.class("field")) {
                label(.for("asOf")) { texts(ClassPageText.asOf) }
                input(
                    .class("input"), .id("asOf"), .name("asOf"), .type("date"),
                    .value(content.day?.description))
            }
            button(.class("button"), .type("submit")) { texts(ClassPageText.look) }
            if let day = content.day {
                a(.class("button"), .href("/school/classes/\(visit["id"])")) {
                    texts(ClassPageText.today)
                }
                p(.class("soft")) {
                    texts(
                        ClassPageText.asOfDay, ["day": texts.day(day, today: visit.today)])
                }
            }
        }
    }

    private static func roster(
        _ people: [DirectoryPerson], _ role: String, mayEnd: Bool, _ name: String, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let isTeacher = role == "teacher"
        return section(.class("card")) {
            div(.class("row row-apart")) {
                h2 { texts(isTeacher ? ClassPageText.teachers : .students) }
                span(.class("soft")) { texts.number(people.count) }
            }
            if people.isEmpty {
                p(.class("soft")) { texts(isTeacher ? ClassPageText.noTeachers : .noStudents) }
            }
            ul(.class("list")) {
                for person in people {
                    li {
                        div(.class("grow")) {
                            p {
                                a(.href("/people/\(person.id)"), .dirAuto) { person.name }
                            }
                            p(.class("small soft")) { written(person.managedID) }
                        }
                        if mayEnd { ClassSeatForms.end(person, role, visit) }
                    }
                }
            }
        }
    }

    private static func links(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let id = visit["id"]
        let location = content.document["locationId"]?.text
        return section(.class("card stack")) {
            if visit.person?.belongs(to: .peopleManager) == true, !content.isArchived,
                visit.schoolUsesPasswords
            {
                p {
                    a(
                        .href(
                            LocalPath("/people/sheets").with("location", location)
                                .with("class", id))
                    ) { texts(ClassPageText.sheet) }
                }
            }
            if visit.person?.belongs(to: .administrator) == true, !content.isArchived {
                p { a(.href("/classes/\(id)/badges")) { texts(BadgesText.title) } }
            }
            if visit.person?.belongs(to: .licenceManager) == true, !content.isArchived {
                p { a(.href(LocalPath("/apps").with("class", id))) { texts(ClassPageText.app) } }
            }
            if visit.person?.belongs(to: .directoryManager) == true {
                p {
                    a(.href(LocalPath("/audit").with("subject", id))) {
                        texts(ClassPageText.events)
                    }
                }
            }
            if visit.person?.belongs(to: .administrator) == true {
                p {
                    a(.href(LocalPath("/settings/data/holds/new").with("class", id))) {
                        texts(RetentionText.keepClass)
                    }
                }
            }
        }
    }
}
