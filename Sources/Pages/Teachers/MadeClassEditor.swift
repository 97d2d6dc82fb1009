import HTTPWire
import JSONBytes

enum MadeClassText: String, TextKey {
    case new, newIntro, name, number, room, location, term, termNone, make, edit, save
    case errorTitle, errorTerm, errorTooMany, errorLocation
    case remove, removeTitle, removeDoes, inUse, notMaker
    case noticeMade, noticeSaved, noticeRemoved

    static let section = "madeClass"
}

/// What a teacher may do beyond teaching, as the API says.
enum OwnPrivileges {
    /// Where the teacher may make classes.
    static func locations(_ api: Client) async throws -> [(id: String, name: String)] {
        let privileges = try await api.get("/v1/me/privileges")["items"]?.array ?? []
        return privileges.compactMap { item in
            guard item["privilege"] == "makeClasses", let id = item["locationId"]?.text else {
                return nil
            }
            return (id, item["locationName"]?.text ?? "")
        }
    }

    /// What the teacher may do in a class: change it, and reset its students' passwords.
    static func inClass(
        _ id: String, _ api: Client
    ) async throws -> (change: Bool, resetPasswords: Bool) {
        let found = try await api.get("/v1/classes/\(id)/privileges")
        return (found["change"]?.bool == true, found["resetPasswords"]?.bool == true)
    }
}

/// `/classes/new` and `/classes/{id}/edit`: classes that teachers make, where the school lets them.
enum MadeClassEditor: Screen {
    static var pages: [Page] {
        [
            .get("/classes/new", for: .teacher) { visit in
                let fields = try await newFields(visit)
                return .view(newView(RecordForm(fields), .none, visit))
            },
            .post("/classes/new", for: .teacher, make),
            .get("/classes/{id}/edit", for: .teacher) { visit in
                guard try await OwnPrivileges.inClass(visit["id"], visit.api).change else {
                    return .view(ErrorPage.absent(visit))
                }
                let found = try await visit.api.getTagged("/v1/classes/\(visit["id"])")
                let form = RecordForm(
                    fields(visit.texts), of: found.document, tag: found.tag)
                return .view(editView(form, .none, visit))
            },
            .post("/classes/{id}/edit", for: .teacher, save).changing(.record("class")),
            .get("/classes/{id}/removal", for: .teacher) { visit in
                let schoolClass = try await TaughtClass.load(visit["id"], visit.api)
                return .view(question(schoolClass, visit))
            },
            .post("/classes/{id}/removal", for: .teacher, remove),
        ]
    }

    private static func fields(_ texts: Texts) -> [RecordField] {
        [
            RecordField(id: "name", label: texts(MadeClassText.name), isRequired: true),
            RecordField(id: "number", label: texts(MadeClassText.number)),
            RecordField(id: "room", label: texts(MadeClassText.room)),
        ]
    }

    private static func newFields(_ visit: Visit) async throws -> [RecordField] {
        async let found = OwnPrivileges.locations(visit.api)
        async let terms = Console.all("/v1/terms?status=open", visit.api)
        let (locations, open) = try await (found, terms)
        let texts = visit.texts
        return fields(texts) + [
            RecordField(
                id: "locationId", label: texts(MadeClassText.location),
                control: .choice(locations.map { ($0.id, $0.name) }), isRequired: true),
            RecordField(
                id: "termId", label: texts(MadeClassText.term),
                control: .choice(
                    [("", texts(MadeClassText.termNone))]
                        + open.map { ($0["id"]?.text ?? "", $0["name"]?.text ?? "") })),
        ]
    }

    // MARK: Making

    private static func newView(
        _ form: RecordForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return RecordPage(
            title: texts(MadeClassText.new), errorTitle: texts(MadeClassText.errorTitle),
            buttonText: texts(MadeClassText.make), action: "/classes/new", back: "/classes",
            crumbs: [("/classes", .text(texts(ClassesText.title)))]
        ).view(form, problems, visit, more: p(.class("soft")) { texts(MadeClassText.newIntro) })
    }

    private static func make(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(try await newFields(visit), sent)
        do {
            let made = try await visit.api.post(
                "/v1/me/classes", .object(form.body(isNew: true)))
            return .redirect(
                "/classes/\(made["id"]?.text ?? "")/members",
                notice: Notice(MadeClassText.noticeMade))
        } catch let refusal as Refusal where [403, 409, 422].contains(refusal.status) {
            let problems = try form.problems(refusal, visit.texts, reasons(visit.texts))
            return .view(newView(form, problems, visit).refused(refusal))
        }
    }

    private static func reasons(_ texts: Texts) -> [String: String] {
        [
            "term_closed": texts(MadeClassText.errorTerm),
            "too_many_made_classes": texts(MadeClassText.errorTooMany),
            "forbidden": texts(MadeClassText.errorLocation),
        ]
    }

    // MARK: Changing

    private static func editView(
        _ form: RecordForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let id = visit["id"]
        return RecordPage(
            title: texts(MadeClassText.edit), isNew: false,
            errorTitle: texts(MadeClassText.errorTitle),
            buttonText: texts(MadeClassText.save), action: "/classes/\(id)/edit",
            back: "/classes/\(id)/roster",
            crumbs: [("/classes/\(id)/roster", .text(texts(RosterText.title)))]
        ).view(
            form, problems, visit,
            more: p { a(.href("/classes/\(id)/removal")) { texts(MadeClassText.remove) } })
    }

    private static func save(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(fields(visit.texts), sent)
        do {
            try await visit.api.send(
                .patch, "/v1/me/classes/\(visit["id"])", .object(form.body(isNew: false)),
                headers: form.conditions)
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try form.problems(refusal, visit.texts)
            return .view(editView(form, problems, visit).refused(refusal))
        }
        return .redirect(
            "/classes/\(visit["id"])/roster", notice: Notice(MadeClassText.noticeSaved))
    }

    // MARK: Removing

    private static func question(_ schoolClass: TaughtClass, _ visit: Visit) -> View {
        let texts = visit.texts
        return Console.confirmation(
            visit, title: texts(MadeClassText.removeTitle, ["name": schoolClass.name]),
            does: texts(MadeClassText.removeDoes), button: texts(MadeClassText.remove),
            to: "/classes/\(schoolClass.id)/removal", back: "/classes/\(schoolClass.id)/edit")
    }

    private static func remove(_ form: Form, _ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.delete("/v1/me/classes/\(visit["id"])")
        } catch let refusal as Refusal where [403, 409].contains(refusal.status) {
            let texts = visit.texts
            let reason = refusal.status == 403 ? MadeClassText.notMaker : .inUse
            return .view(
                Console.refused(
                    texts(reason), back: "/classes/\(visit["id"])/roster", refusal.status, texts))
        }
        return .redirect("/classes", notice: Notice(MadeClassText.noticeRemoved))
    }
}
