import HTTPWire
import JSONBytes
import Values

/// `/webhooks/{id}`: whether a webhook works, what it was sent, and its settings.
enum WebhookPage: Screen {
    static var pages: [Page] {
        [
            .get("/webhooks/{id}", for: .administrator) { visit in
                let content = try await load(visit)
                return .view(
                    view(content, WebhookForm(content.webhook, tag: content.tag), .none, visit))
            },
            .post("/webhooks/{id}", for: .administrator, save)
                .changing(.setting("webhookChange", byID: true)),
            .post("/webhooks/{id}/state", for: .administrator, switchState),
            .post("/webhooks/{id}/test", for: .administrator) { _, visit in
                try await send("test", visit)
            },
            .post("/webhooks/{id}/deliveries/{delivery}", for: .administrator) { _, visit in
                try await send("deliveries/\(visit["delivery"])", visit)
            },
            question("secret", .newSecretTitle, .newSecretDoes, .newSecret),
            question("removal", .removeTitle, .removeDoes, .remove),
            .post("/webhooks/{id}/secret", for: .administrator) { _, visit in
                let made = try await visit.api.post("/v1/webhooks/\(visit["id"])/secret")
                return .view(Webhooks.shown(made, visit))
            },
            .post("/webhooks/{id}/removal", for: .administrator) { _, visit in
                try await visit.api.delete(call(visit))
                return .redirect(Webhooks.path, notice: Notice(WebhooksText.noticeRemoved))
            },
        ]
    }

    struct Content: Sendable {
        let webhook: JSONValue
        let tag: String
        /// The newest.
        let deliveries: [JSONValue]
    }

    private static func call(_ visit: Visit) -> LocalPath { "/v1/webhooks/\(visit["id"])" }
    private static func own(_ visit: Visit) -> LocalPath { "/webhooks/\(visit["id"])" }

    private static func load(_ visit: Visit) async throws -> Content {
        async let webhook = visit.api.getTagged(call(visit))
        async let sent = visit.api.get(
            LocalPath("/v1/webhooks/\(visit["id"])/deliveries").with("limit", "50"))
        let found = try await webhook
        return Content(
            webhook: found.document, tag: found.tag,
            deliveries: try await sent["items"]?.array ?? [])
    }

    // MARK: Changing it

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = WebhookForm(form)
        do {
            try await visit.api.send(
                .patch, call(visit), sent.body,
                headers: sent.tag.isEmpty ? [] : [(name: "If-Match", value: sent.tag)])
            return .redirect(own(visit), notice: Notice(WebhooksText.noticeSaved))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try sent.problems(refusal, visit.texts)
            return .view(
                view(try await load(visit), sent, problems, visit).refused(refusal))
        }
    }

    private static func switchState(_ form: Form, _ visit: Visit) async throws -> Answer {
        let isOn = form["enabled"] == "yes"
        try await visit.api.send(.patch, call(visit), ["enabled": .bool(isOn)])
        return .redirect(
            own(visit), notice: Notice(isOn ? WebhooksText.noticeEnabled : .noticeDisabled))
    }

    /// Orders a delivery; a webhook that was disabled meanwhile is not called.
    private static func send(_ what: String, _ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.post(LocalPath(own: "\(call(visit).text)/\(what)"))
        } catch let refusal as Refusal where refusal.code == "webhook_disabled" {
            let texts = visit.texts
            return .view(
                Console.refused(texts(WebhooksText.refused), back: own(visit), 409, texts))
        }
        return .redirect(own(visit), notice: Notice(WebhooksText.noticeSent))
    }

    private static func question(
        _ name: String, _ title: WebhooksText, _ does: WebhooksText, _ button: WebhooksText
    ) -> Page {
        Console.question(
            "/webhooks/{id}/\(name)", title: title, does: does, button: button, back: own
        ) { visit in
            ["name": try await visit.api.get(call(visit))["name"]?.text ?? ""]
        }
    }

    // MARK: The page

    private static func view(
        _ content: Content, _ form: WebhookForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = content.webhook["name"]?.text ?? ""
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Webhooks.crumbs(texts)
                heading(title)
            }
            problems.summary(texts(WebhooksText.errorTitle))
            div(.class("two")) {
                div(.class("stack")) {
                    state(content.webhook, visit)
                    WebhookDeliveries.card(
                        content.deliveries, isOn: content.webhook["enabled"]?.bool == true, visit)
                }
                div(.class("stack")) {
                    editForm(visit, own(visit), version: form.tag, .class("card")) {
                        h2 { texts(WebhooksText.edit) }
                        form.fields(problems, texts)
                        button(.class("button button-main"), .type("submit")) {
                            texts(WebhooksText.save)
                        }
                    }
                    p {
                        a(
                            .class("button button-risk"),
                            .href("/webhooks/\(visit["id"])/removal")
                        ) { texts(WebhooksText.remove) }
                    }
                }
            }
        }
    }

    private static func state(_ webhook: JSONValue, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let isOn = webhook["enabled"]?.bool == true
        return section(.class("card")) {
            div(.class("row row-apart")) {
                h2 { texts(WebhooksText.state) }
                Webhooks.state(webhook, texts)
            }
            if let reason = reason(webhook, texts) { p { reason } }
            dl(.class("facts")) { secret(webhook, visit) }
            div(.class("row")) {
                if isOn {
                    postForm(visit, "/webhooks/\(visit["id"])/test") {
                        button(.class("button"), .type("submit")) { texts(WebhooksText.test) }
                    }
                }
                postForm(visit, "/webhooks/\(visit["id"])/state") {
                    input(.type("hidden"), .name("enabled"), .value(isOn ? "no" : "yes"))
                    button(.class("button"), .type("submit")) {
                        texts(isOn ? WebhooksText.disable : .enable)
                    }
                }
            }
        }
    }

    private static func reason(_ webhook: JSONValue, _ texts: Texts) -> String? {
        switch webhook["disabledBecause"]?.text {
        case "failing": texts(WebhooksText.disabledFailing)
        case "gone": texts(WebhooksText.disabledGone)
        default: nil
        }
    }

    @HTMLBuilder
    private static func secret(_ webhook: JSONValue, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let changed = webhook["secretChangedAt"]?.text.flatMap { Timestamp($0) } ?? visit.now
        Console.fact(
            texts(WebhooksText.secret),
            .text(texts(WebhooksText.secretChanged, ["when": visit.moment(changed)])),
            a(.class("button"), .href("/webhooks/\(visit["id"])/secret")) {
                texts(WebhooksText.newSecret)
            })
        if let until = webhook["formerSecretUntil"]?.text.flatMap({ Timestamp($0) }),
            until > visit.now
        {
            p(.class("small soft")) {
                texts(WebhooksText.formerSecret, ["when": visit.moment(until)])
            }
        }
    }
}
