import JSONBytes

enum WebhooksText: String, TextKey {
    case title, intro, link, linkHint, add, none, noneAdvice, newTitle
    case name, nameHint, url, urlHint, kinds
    case kindLocation, kindTerm, kindCourse, kindPerson, kindClass, kindRoster
    case register, save, edit, errorTitle, errorURL, errorKinds, errorTooMany
    case secretTitle, secretOnce, secret, secretChanged, formerSecret, done
    case newSecret, newSecretTitle, newSecretDoes
    case state, works, failing, disabled, disabledFailing, disabledGone
    case enable, disable, test
    case deliveries, deliveriesNone, delivered, waiting, failed, testDelivery, again, next
    case changes, answered, noAnswer
    case remove, removeTitle, removeDoes
    case noticeSaved, noticeEnabled, noticeDisabled, noticeSent, noticeRemoved, refused

    static let section = "webhooks"
}

/// `/webhooks`: other systems that are called when the directory changes.
enum Webhooks: Screen {
    static let path: LocalPath = "/webhooks"

    static var pages: [Page] {
        [
            .show(path.text, for: .administrator) { visit in
                try await Console.all("/v1/webhooks", visit.api)
            } render: { webhooks, visit in
                view(webhooks, visit)
            },
            .get("/webhooks/new", for: .administrator) { visit in
                .view(newView(WebhookForm(), .none, visit))
            },
            .post("/webhooks/new", for: .administrator, register),
        ]
    }

    /// The way back from a page below the list.
    static func crumbs(_ texts: Texts, list: Bool = true) -> HTML {
        let systems = (ConnectedSystems.path, HTML.text(texts(SystemsText.title)))
        return Console.crumbs(
            texts, list ? [systems, (path, .text(texts(WebhooksText.title)))] : [systems])
    }

    private static func view(_ webhooks: [JSONValue], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(WebhooksText.title)) {
            div {
                crumbs(texts, list: false)
                heading(texts(WebhooksText.title), below: .text(texts(WebhooksText.intro))) {
                    a(.class("button button-main"), .href("/webhooks/new")) {
                        Icon.plus.html
                        texts(WebhooksText.add)
                    }
                }
            }
            if webhooks.isEmpty {
                emptyBox(texts(WebhooksText.none), texts(WebhooksText.noneAdvice))
            } else {
                ul(.class("list list-boxed list-wraps"), .label(texts(WebhooksText.title))) {
                    for webhook in webhooks { li { row(webhook, visit) } }
                }
            }
        }
    }

    @HTMLBuilder
    private static func row(_ webhook: JSONValue, _ visit: Visit) -> [HTML] {
        div(.class("grow")) {
            p(.class("strong")) {
                a(.href("/webhooks/\(webhook["id"]?.text ?? "")")) {
                    written(webhook["name"]?.text ?? "")
                }
            }
            p(.class("small soft")) { code { webhook["url"]?.text ?? "" } }
        }
        state(webhook, visit.texts)
    }

    /// Whether it is called, and with success.
    static func state(_ webhook: JSONValue, _ texts: Texts) -> HTML {
        if webhook["enabled"]?.bool != true {
            return tag(
                texts(WebhooksText.disabled), .off,
                webhook["disabledBecause"]?.text == nil ? .line : .warn)
        }
        return webhook["failingSince"]?.text == nil
            ? tag(texts(WebhooksText.works), .done, .good)
            : tag(texts(WebhooksText.failing), .warn, .warn)
    }

    private static func newView(
        _ form: WebhookForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(WebhooksText.newTitle)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs(texts)
                heading(title)
            }
            problems.summary(texts(WebhooksText.errorTitle))
            postForm(visit, "/webhooks/new", .class("card reading")) {
                form.fields(problems, texts)
                button(.class("button button-main"), .type("submit")) {
                    texts(WebhooksText.register)
                }
            }
        }
    }

    private static func register(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = WebhookForm(form)
        do {
            return .view(shown(try await visit.api.post("/v1/webhooks", sent.body), visit))
        } catch let refusal as Refusal where [409, 422].contains(refusal.status) {
            let problems = try sent.problems(refusal, visit.texts)
            return .view(newView(sent, problems, visit).refused(refusal))
        }
    }

    /// The secret, which is shown this once.
    static func shown(_ webhook: JSONValue, _ visit: Visit) -> View {
        let texts = visit.texts
        let title = texts(WebhooksText.secretTitle, ["name": webhook["name"]?.text ?? ""])
        return View(title) {
            heading(title, below: .text(texts(WebhooksText.secretOnce)))
            section(.class("card reading")) {
                dl(.class("facts")) {
                    Console.fact(
                        texts(WebhooksText.secret), code { webhook["secret"]?.text ?? "" })
                }
            }
            p {
                a(.class("button"), .href("/webhooks/\(webhook["id"]?.text ?? "")")) {
                    texts(WebhooksText.done)
                }
            }
        }
    }
}
