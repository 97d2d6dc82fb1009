import JSONBytes
import Values

enum MembersText: String, TextKey {
    case title, intro, add, whom, whomHint, role, student, teacher, search
    case found, nobody, grade, addButton, addNamed, takeOut, takeOutNamed, teachers, students, none
    case errorShort, errorSearches, errorFull, errorLast, errorArchived
    case errorForbidden, errorGone
    case noticeAdded, noticeTakenOut

    static let section = "members"
}

/// `/classes/{id}/members`: who is in a class that teachers made, whom to add and whom to take out.
enum ClassMembers: Screen {
    static var pages: [Page] {
        [
            .get("/classes/{id}/members", for: .teacher) { visit in
                guard try await OwnPrivileges.inClass(visit["id"], visit.api).change else {
                    return .view(ErrorPage.absent(visit))
                }
                return try await search(visit)
            },
            .post("/classes/{id}/members/{role}/{person}/add", for: .teacher) { _, visit in
                try await change(.noticeAdded, visit) { try await visit.api.put($0) }
            },
            .post("/classes/{id}/members/{role}/{person}/end", for: .teacher) { _, visit in
                try await change(.noticeTakenOut, visit) { try await visit.api.delete($0) }
            },
        ]
    }

    struct Candidate: Sendable {
        let id: String
        let name: String
        let grade: String?

        init?(_ item: JSONValue) {
            guard let id = item["id"]?.text, let name = FullName(item)?.text else { return nil }
            self.id = id
            self.name = name
            grade = item["grade"]?.text
        }
    }

    /// What was searched for, and whom the search found.
    struct Search: Sendable {
        var words = ""
        var role = "student"
        /// `nil` before a search.
        var people: [Candidate]?
        var problem: String?
    }

    // MARK: Searching

    private static func search(_ visit: Visit) async throws -> Answer {
        async let members = Members.load(visit["id"], visit.api)
        var search = Search()
        search.words = visit.query("q") ?? ""
        search.role = visit.query("role") == "teacher" ? "teacher" : "student"
        var refused: Refusal?
        if !search.words.isEmpty {
            do {
                let path: LocalPath = "/v1/me/classes/\(visit["id"])/candidates"
                let found = try await visit.api.get(
                    path.with("role", search.role).with("q", search.words))
                search.people = (found["items"]?.array ?? []).compactMap(Candidate.init)
            } catch let refusal as Refusal where [400, 429].contains(refusal.status) {
                refused = refusal
                let isShort = refusal.status == 400
                search.problem = visit.texts(isShort ? MembersText.errorShort : .errorSearches)
            }
        }
        let page = view(try await members, search, visit)
        return .view(refused.map { page.refused($0) } ?? page)
    }

    private static func searchForm(_ search: Search, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card stack")) {
            h2 { texts(MembersText.add) }
            getForm("/classes/\(visit["id"])/members", .role("search")) {
                field(
                    "q", label: texts(MembersText.whom), hint: texts(MembersText.whomHint),
                    problem: search.problem, .value(search.words), .type("search"),
                    .autocomplete("off"), Attribute("maxlength", "100"))
                Console.choice(
                    "role", label: texts(MembersText.role),
                    [
                        ("student", texts(MembersText.student)),
                        ("teacher", texts(MembersText.teacher)),
                    ], chosen: search.role)
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        Icon.search.html
                        texts(MembersText.search)
                    }
                }
            }
            if let people = search.people { candidates(people, search.role, visit) }
        }
    }

    private static func candidates(
        _ people: [Candidate], _ role: String, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        guard !people.isEmpty else { return p { texts(MembersText.nobody) } }
        return ul(.class("list"), .label(texts(MembersText.found))) {
            for person in people {
                li {
                    div(.class("grow")) {
                        p(.class("strong"), .dirAuto) { person.name }
                        if let grade = person.grade {
                            p(.class("small soft")) { texts(MembersText.grade, ["grade": grade]) }
                        }
                    }
                    act(
                        "add", role, person.id, .addButton,
                        texts(MembersText.addNamed, ["name": person.name]), visit)
                }
            }
        }
    }

    // MARK: Changing

    private static func change(
        _ done: MembersText, _ visit: Visit, _ act: (LocalPath) async throws -> Void
    ) async throws -> Answer {
        let segment = visit["role"] == "teacher" ? "teachers" : "students"
        let back: LocalPath = "/classes/\(visit["id"])/members"
        do {
            try await act("/v1/me/classes/\(visit["id"])/\(segment)/\(visit["person"])")
        } catch let refusal as Refusal where [403, 404, 409].contains(refusal.status) {
            let texts = visit.texts
            return .view(
                Console.refused(texts(reason(refusal)), back: back, refusal.status, texts))
        }
        // Who left the class sees it no more.
        let isGone = done == .noticeTakenOut && visit["person"] == visit.person?.id
        return .redirect(isGone ? "/classes" : back, notice: Notice(done))
    }

    private static func reason(_ refusal: Refusal) -> MembersText {
        switch (refusal.status, refusal.code) {
        case (_, "class_full"): .errorFull
        case (_, "last_teacher"): .errorLast
        case (_, "class_archived"): .errorArchived
        case (403, _): .errorForbidden
        default: .errorGone
        }
    }

    // MARK: The page

    private static func view(_ members: Members, _ search: Search, _ visit: Visit) -> View {
        let texts = visit.texts
        let schoolClass = members.schoolClass
        let title = texts(MembersText.title)
        let shown = search.problem == nil ? title : texts(ErrorText.formTitle, ["title": title])
        return View(shown) {
            div {
                crumbs(Roster.steps(schoolClass, texts), texts)
                heading(title, below: .text(texts(MembersText.intro)))
            }
            searchForm(search, visit)
            list(
                .teachers, "teacher",
                schoolClass.teachers.map {
                    (id: $0.key, name: $0.value)
                }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }, visit)
            list(
                .students, "student", members.students.map { (id: $0.id, name: $0.name) },
                visit)
        }
    }

    private static func list(
        _ title: MembersText, _ role: String, _ people: [(id: String, name: String)],
        _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return section(.class("card stack")) {
            h2 { texts(title) }
            if people.isEmpty {
                p(.class("soft")) { texts(MembersText.none) }
            } else {
                ul(.class("list"), .label(texts(title))) {
                    for person in people {
                        li {
                            div(.class("grow")) { p(.dirAuto) { person.name } }
                            // A class keeps a teacher.
                            if role == "student" || people.count > 1 {
                                act(
                                    "end", role, person.id, .takeOut,
                                    texts(MembersText.takeOutNamed, ["name": person.name]), visit)
                            }
                        }
                    }
                }
            }
        }
    }

    /// A form with one button.
    private static func act(
        _ act: String, _ role: String, _ person: String, _ word: MembersText, _ label: String,
        _ visit: Visit
    ) -> HTML {
        postForm(visit, "/classes/\(visit["id"])/members/\(role)/\(person)/\(act)") {
            button(.class("button"), .type("submit"), .label(label)) { visit.texts(word) }
        }
    }
}
