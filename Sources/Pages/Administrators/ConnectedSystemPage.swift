import HTTPWire
import JSONBytes
import Values

/// `/connected-systems/{id}`: what a system may do, its secret, and removing it.
enum ConnectedSystemPage: Screen {
    static var pages: [Page] {
        [
            .get("/connected-systems/{id}", for: .administrator) { visit in
                let found = try await visit.api.getTagged(call(visit))
                let form = SystemForm(found.document, tag: found.tag)
                return .view(try await view(found.document, form, .none, visit))
            },
            .post("/connected-systems/{id}", for: .administrator, save)
                .changing(.setting("connectedSystemChange", byID: true)),
            question("secret", .newSecretTitle, .newSecretDoes, .newSecret),
            question("removal", .removeTitle, .removeDoes, .remove),
            .post("/connected-systems/{id}/secret", for: .administrator) { _, visit in
                let made = try await visit.api.post(
                    "/v1/connected-systems/\(visit["id"])/secret")
                return try await ConnectedSystems.shown(made, visit)
            },
            .post("/connected-systems/{id}/removal", for: .administrator) { _, visit in
                try await visit.api.delete(call(visit))
                return .redirect(
                    ConnectedSystems.path, notice: Notice(SystemsText.noticeRemoved))
            },
        ]
    }

    private static func call(_ visit: Visit) -> LocalPath { "/v1/connected-systems/\(visit["id"])" }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = SystemForm(form)
        do {
            try await visit.api.send(
                .patch, call(visit), sent.body,
                headers: sent.tag.isEmpty ? [] : [(name: "If-Match", value: sent.tag)])
            return .redirect(ConnectedSystems.path, notice: Notice(SystemsText.noticeSaved))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try sent.problems(refusal, visit.texts)
            let system = try await visit.api.get(call(visit))
            return .view(
                try await view(system, sent, problems, visit).refused(refusal))
        }
    }

    private static func view(
        _ system: JSONValue, _ form: SystemForm, _ problems: FormProblems, _ visit: Visit
    ) async throws -> View {
        let texts = visit.texts
        let provider = try await visit.api.get("/.well-known/openid-configuration")
        let title = system["name"]?.text ?? ""
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Console.crumbs(
                    texts, [(ConnectedSystems.path, .text(texts(SystemsText.title)))])
                heading(title)
            }
            problems.summary(texts(SystemsText.errorTitle))
            values(system, provider, visit)
            editForm(
                visit, "/connected-systems/\(visit["id"])", version: form.tag,
                .class("card reading")
            ) {
                h2 { texts(SystemsText.edit) }
                form.fields(problems, texts)
                button(.class("button button-main"), .type("submit")) { texts(SystemsText.save) }
            }
            p {
                a(
                    .class("button button-risk"),
                    .href("/connected-systems/\(visit["id"])/removal")
                ) { texts(SystemsText.remove) }
            }
        }
    }

    /// What the other system has to know, but for the secret.
    private static func values(
        _ system: JSONValue, _ provider: JSONValue, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let changed = system["secretChangedAt"]?.text.flatMap { Timestamp($0) } ?? visit.now
        return section(.class("card reading")) {
            h2 { texts(SystemsText.values) }
            dl(.class("facts")) {
                ConnectedSystems.known(system, provider, texts)
                Console.fact(
                    texts(SystemsText.secret),
                    .text(texts(SystemsText.secretChanged, ["when": visit.moment(changed)])),
                    a(.class("button"), .href("/connected-systems/\(visit["id"])/secret")) {
                        texts(SystemsText.newSecret)
                    })
            }
        }
    }

    private static func question(
        _ name: String, _ title: SystemsText, _ does: SystemsText, _ button: SystemsText
    ) -> Page {
        Console.question(
            "/connected-systems/{id}/\(name)", title: title, does: does, button: button,
            back: { "/connected-systems/\($0["id"])" }
        ) { visit in
            ["name": try await visit.api.get(call(visit))["name"]?.text ?? ""]
        }
    }
}
