import JSONBytes
import Values

enum SystemsText: String, TextKey {
    case title, intro, add, none, noneAdvice, newTitle
    case name, nameHint, addresses, addressesHint, scopes, scopeProfile, scopeRoles, scopeClasses
    case scopeEmail, scopeEmailHint, algorithm, algorithmRS256, algorithmES256
    case pkce, pkceDemanded, pkceHint, afterwards, afterwardsHint, errorAfterwards
    case register, save, secretTitle, secretOnce, values, issuer, clientID, secret, done
    case edit, secretChanged, newSecret, newSecretTitle, newSecretDoes
    case remove, removeTitle, removeDoes
    case errorTitle, errorAddresses, noticeSaved, noticeRemoved

    static let section = "systems"
}

/// `/connected-systems`: other systems of the school, to which people sign in with their managed IDs.
enum ConnectedSystems: Screen {
    static let path: LocalPath = "/connected-systems"

    static var pages: [Page] {
        [
            .show(
                path.text, for: .administrator, menu: MenuEntry(.link, SystemsText.title)
            ) { visit in
                try await Console.all("/v1/connected-systems", visit.api)
            } render: { systems, visit in
                view(systems, visit)
            },
            .get("/connected-systems/new", for: .administrator) { visit in
                .view(newView(SystemForm(), .none, visit))
            },
            .post("/connected-systems/new", for: .administrator, register),
        ]
    }

    private static func view(_ systems: [JSONValue], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(SystemsText.title)) {
            heading(texts(SystemsText.title), below: .text(texts(SystemsText.intro))) {
                a(.class("button button-main"), .href("/connected-systems/new")) {
                    Icon.plus.html
                    texts(SystemsText.add)
                }
            }
            if systems.isEmpty {
                emptyBox(texts(SystemsText.none), texts(SystemsText.noneAdvice))
            } else {
                ul(.class("list list-boxed list-wraps"), .label(texts(SystemsText.title))) {
                    for system in systems { li { row(system, visit) } }
                }
            }
            section(.class("card reading")) {
                h2 { a(.href(Webhooks.path)) { texts(WebhooksText.link) } }
                p { texts(WebhooksText.linkHint) }
            }
            section(.class("card reading")) {
                h2 { a(.href(ToolPages.path)) { texts(ToolsText.link) } }
                p { texts(ToolsText.linkHint) }
            }
        }
    }

    @HTMLBuilder
    private static func row(_ system: JSONValue, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let form = SystemForm(system, tag: "")
        div(.class("grow")) {
            p(.class("strong")) {
                a(.href("/connected-systems/\(system["id"]?.text ?? "")")) { written(form.name) }
            }
            p(.class("small soft")) {
                dotted(form.scopes.map { .text(texts(SystemForm.word($0))) })
            }
        }
    }

    static func newView(_ form: SystemForm, _ problems: FormProblems, _ visit: Visit) -> View {
        let texts = visit.texts
        let title = texts(SystemsText.newTitle)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Console.crumbs(texts, [(path, .text(texts(SystemsText.title)))])
                heading(title)
            }
            problems.summary(texts(SystemsText.errorTitle))
            postForm(visit, "/connected-systems/new", .class("card reading")) {
                form.fields(problems, texts)
                button(.class("button button-main"), .type("submit")) {
                    texts(SystemsText.register)
                }
            }
        }
    }

    private static func register(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = SystemForm(form)
        do {
            let made = try await visit.api.post("/v1/connected-systems", sent.body)
            return try await shown(made, visit)
        } catch let refusal as Refusal where refusal.status == 422 {
            return .view(newView(sent, try sent.problems(refusal, visit.texts), visit).refused())
        }
    }

    /// The secret, which is shown this once, beside what else the other system has to know.
    static func shown(_ made: JSONValue, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let provider = try await visit.api.get("/.well-known/openid-configuration")
        let title = texts(SystemsText.secretTitle, ["name": made["name"]?.text ?? ""])
        return .view(
            View(title) {
                heading(title, below: .text(texts(SystemsText.secretOnce)))
                section(.class("card reading")) {
                    h2 { texts(SystemsText.values) }
                    dl(.class("facts")) {
                        known(made, provider, texts)
                        value(SystemsText.secret, made["clientSecret"], texts)
                    }
                }
                p {
                    a(
                        .class("button"),
                        .href("/connected-systems/\(made["id"]?.text ?? "")")
                    ) { texts(SystemsText.done) }
                }
            })
    }

    /// What the other system has to know beside its secret.
    static func known(_ system: JSONValue, _ provider: JSONValue, _ texts: Texts) -> HTML {
        parts {
            value(.issuer, provider["issuer"], texts)
            value(.clientID, system["clientId"], texts)
        }
    }

    static func value(_ name: SystemsText, _ value: JSONValue?, _ texts: Texts) -> HTML {
        Console.fact(texts(name), code { value?.text ?? "" })
    }
}
