import HTTPWire
import JSONBytes

/// `/apps/new` and `/apps/{id}/edit`, and the removal of an app.
enum AppEditor: Screen {
    static var pages: [Page] {
        [
            .get("/apps/new", for: .licenceManager) { visit in
                .view(newPage(visit).view(RecordForm(newFields(visit.texts)), .none, visit))
            },
            .post("/apps/new", for: .licenceManager, make),
            .get("/apps/{id}/edit", for: .licenceManager) { visit in
                let found = try await visit.api.getTagged("/v1/apps/\(visit["id"])")
                let form = RecordForm(
                    fields(visit.texts), of: found.document, tag: found.tag)
                return .view(try await edited(form, .none, visit))
            },
            .post("/apps/{id}/edit", for: .licenceManager, save).changing(.record("app")),
            .get("/apps/{id}/removal", for: .licenceManager) { visit in
                let app = try await SchoolApp.load(visit)
                return .view(
                    Console.confirmation(
                        visit, title: visit.texts(AppsText.removeTitle, ["name": app.name]),
                        does: visit.texts(AppsText.removeDoes),
                        button: visit.texts(AppsText.remove), to: "/apps/\(app.id)/removal",
                        back: "/apps/\(app.id)"))
            },
            .post("/apps/{id}/removal", for: .licenceManager, remove),
        ]
    }

    private static func fields(_ texts: Texts) -> [RecordField] {
        [
            RecordField(id: "name", label: texts(AppsText.name), isRequired: true),
            RecordField(
                id: "bundleId", label: texts(AppsText.bundleID),
                hint: texts(AppsText.bundleIDHint)),
        ]
    }

    private static func newFields(_ texts: Texts) -> [RecordField] {
        let kind = RecordField(
            id: "productType", label: texts(AppsText.kind),
            control: .choice([("App", texts(AppsText.app)), ("Book", texts(AppsText.book))]),
            isRequired: true)
        let id = RecordField(
            id: "adamId", label: texts(AppsText.storeID), hint: texts(AppsText.storeIDHint),
            isRequired: true)
        return [kind, id] + fields(texts)
    }

    private static func words(_ texts: Texts) -> [String: String] {
        [
            "app_exists": texts(AppsText.errorExists), "missing": texts(AppsText.errorBundle),
        ]
    }

    private static func make(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(newFields(visit.texts), sent)
        do {
            try await visit.api.post("/v1/apps", .object(form.body(isNew: true)))
        } catch let refusal as Refusal where refusal.status == 409 || refusal.status == 422 {
            let problems = try form.problems(refusal, visit.texts, words(visit.texts))
            return .view(newPage(visit).view(form, problems, visit).refused(refusal))
        }
        return .redirect("/apps/\(form["adamId"])", notice: Notice(AppsText.noticeMade))
    }

    private static func save(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(fields(visit.texts), sent)
        do {
            try await visit.api.send(
                .patch, "/v1/apps/\(visit["id"])", .object(form.body(isNew: false)),
                headers: form.conditions)
        } catch let refusal as Refusal where [409, 422].contains(refusal.status) {
            let problems = try form.problems(refusal, visit.texts, words(visit.texts))
            return .view(try await edited(form, problems, visit).refused(refusal))
        }
        return .redirect("/apps/\(visit["id"])", notice: Notice(AppsText.noticeSaved))
    }

    private static func remove(_ sent: Form, _ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.delete("/v1/apps/\(visit["id"])")
        } catch let refusal as Refusal where refusal.code == "licences_assigned" {
            return .view(
                Console.refused(
                    visit.texts(AppsText.assignedStill), back: "/apps/\(visit["id"])",
                    refusal.status, visit.texts))
        }
        return .redirect("/apps", notice: Notice(AppsText.noticeRemoved))
    }

    private static func newPage(_ visit: Visit) -> RecordPage {
        let texts = visit.texts
        return RecordPage(
            title: texts(AppsText.new), errorTitle: texts(AppsText.errorTitle),
            buttonText: texts(AppsText.make), action: "/apps/new", back: "/apps",
            crumbs: [("/apps", .text(texts(AppsText.title)))])
    }

    private static func edited(
        _ form: RecordForm, _ problems: FormProblems, _ visit: Visit
    ) async throws -> View {
        let texts = visit.texts
        let app = try await SchoolApp.load(visit)
        let page = RecordPage(
            title: texts(AppsText.edit), isNew: false, errorTitle: texts(AppsText.errorTitle),
            buttonText: texts(AppsText.save), action: "/apps/\(app.id)/edit",
            back: "/apps/\(app.id)",
            crumbs: app.crumbs(texts))
        return page.view(
            form, problems, visit,
            more: p {
                a(.href("/apps/\(app.id)/removal")) { texts(AppsText.remove) }
            })
    }
}
