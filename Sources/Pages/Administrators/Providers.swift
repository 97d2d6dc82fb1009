import HTTPServer
import HTTPWire
import JSONBytes

enum ProvidersText: String, TextKey {
    case title, intro, none, noneAdvice, connected, withPasswords, withoutPasswords
    case google, microsoft, other, connectTitle, how, howGoogle, howMicrosoft, howOther
    case redirect, redirectHint
    case name, nameHint, issuer, issuerHint, tenant, tenantHint, clientID, secret, secretKept
    case matching, matchingManagedID, matchingEmail, domains, domainsHint
    case connect, save, check, checkHint, checkFailed, remove, removeTitle, removeDoes
    case noticeConnected, noticeSaved, noticeChecked, noticeRemoved
    case lastTitle, last
    case errorTitle, errorIssuer, errorTenant, errorDomains

    static let section = "providers"

    /// What a kind is called.
    static func kind(_ kind: String) -> ProvidersText {
        switch kind {
        case "google": .google
        case "microsoft": .microsoft
        default: .other
        }
    }
}

/// `/sign-in-providers`: other systems with which the people of the school sign in.
enum Providers: Screen {
    static var pages: [Page] {
        [
            .show(
                "/sign-in-providers", for: .administrator,
                menu: MenuEntry(.shield, ProvidersText.title)
            ) { visit in
                try await Console.all("/v1/sign-in-providers", visit.api)
            } render: { providers, visit in
                list(providers, visit)
            },
            .show("/sign-in-providers/new", for: .administrator) { visit in
                try await redirectURI(visit)
            } render: { redirect, visit in
                ProviderPage(
                    id: nil, form: ProviderForm(kind: visit.query("kind")), redirect: redirect
                ).view(visit)
            },
            .post("/sign-in-providers", for: .administrator, connect),
            .get("/sign-in-providers/{id}", for: .administrator) { visit in
                .view(try await page(visit).view(visit))
            },
            .post("/sign-in-providers/{id}", for: .administrator, save)
                .changing(.setting("signInProviderChange", byID: true)),
            .post("/sign-in-providers/{id}/check", for: .administrator) { _, visit in
                try await check(visit)
            },
            .get("/sign-in-providers/{id}/removal", for: .administrator) { visit in
                .view(question(try await page(visit), visit))
            },
            .post("/sign-in-providers/{id}/removal", for: .administrator) { _, visit in
                try await remove(visit)
            },
        ]
    }

    // MARK: Asking

    /// The address that a provider has to allow.
    private static func redirectURI(_ visit: Visit) async throws -> String {
        try await visit.api.get("/v1/sign-in/offered-providers")["redirectUri"]?.text ?? ""
    }

    private static func page(_ visit: Visit) async throws -> ProviderPage {
        let id = visit["id"]
        async let found = visit.api.getTagged("/v1/sign-in-providers/\(id)")
        async let redirect = redirectURI(visit)
        let (provider, tag) = try await found
        return ProviderPage(
            id: id, form: ProviderForm(provider, tag: tag), redirect: try await redirect)
    }

    private static func connect(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = ProviderForm(form)
        do {
            let made = try await visit.api.post("/v1/sign-in-providers", sent.body(isNew: true))
            return .redirect(
                "/sign-in-providers/\(made["id"]?.text ?? "")",
                notice: Notice(ProvidersText.noticeConnected))
        } catch let refusal as Refusal where refusal.status < 500 {
            let page = ProviderPage(id: nil, form: sent, redirect: try await redirectURI(visit))
            let problems = try sent.problems(refusal, visit.texts)
            return .view(page.view(visit, problems).refused(refusal))
        }
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = ProviderForm(form)
        let path: LocalPath = "/sign-in-providers/\(visit["id"])"
        do {
            try await visit.api.send(
                .patch, "/v1/sign-in-providers/\(visit["id"])", sent.body(isNew: false),
                headers: sent.tag.isEmpty ? [] : [(name: "If-Match", value: sent.tag)])
            return .redirect(path, notice: Notice(ProvidersText.noticeSaved))
        } catch let refusal as Refusal
            where refusal.status < 500 && ![404, 412].contains(refusal.status)
        {
            let page = ProviderPage(
                id: visit["id"], form: sent, redirect: try await redirectURI(visit))
            let problems = try sent.problems(refusal, visit.texts)
            return .view(page.view(visit, problems).refused(refusal))
        }
    }

    private static func check(_ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.post("/v1/sign-in-providers/\(visit["id"])/check")
            return .redirect(
                "/sign-in-providers/\(visit["id"])", notice: Notice(ProvidersText.noticeChecked))
        } catch let refusal as Refusal where refusal.status == 502 || refusal.status == 503 {
            let page = try await page(visit)
            return .view(page.view(visit, failure: refusal.detail).refused(refusal))
        }
    }

    private static func remove(_ visit: Visit) async throws -> Answer {
        do {
            try await visit.api.delete("/v1/sign-in-providers/\(visit["id"])")
            return .redirect("/sign-in-providers", notice: Notice(ProvidersText.noticeRemoved))
        } catch let refusal as Refusal where refusal.code == "last_sign_in_provider" {
            return .view(lastOne(visit).refused(refusal))
        }
    }

    // MARK: What one sees

    /// Why the only provider of a school without passwords stays.
    private static func lastOne(_ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ProvidersText.lastTitle)) {
            h1 { texts(ProvidersText.lastTitle) }
            p(.class("reading")) { texts(ProvidersText.last) }
            div(.class("row")) {
                a(.class("button"), .href("/settings")) { texts(SettingsText.title) }
                a(.class("button"), .href("/sign-in-providers")) { texts(ProvidersText.title) }
            }
        }
    }

    private static func list(_ providers: [JSONValue], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ProvidersText.title)) {
            heading(texts(ProvidersText.title))
            p(.class("reading")) { texts(ProvidersText.intro) }
            if providers.isEmpty {
                emptyBox(texts(ProvidersText.none), texts(ProvidersText.noneAdvice))
            } else {
                p(.class("reading")) {
                    let isWithout = !visit.schoolUsesPasswords
                    texts(isWithout ? ProvidersText.withoutPasswords : .withPasswords)
                    " "
                    a(.href("/settings")) { texts(SettingsText.title) }
                }
                ul(.class("list list-boxed"), .label(texts(ProvidersText.connected))) {
                    for provider in providers { li { row(provider, texts) } }
                }
            }
            div(.class("row")) {
                for kind in ProviderForm.kinds {
                    a(
                        .class("button"),
                        .href(LocalPath("/sign-in-providers/new").with("kind", kind))
                    ) {
                        connectTitle(kind, texts)
                    }
                }
            }
        }
    }

    static func connectTitle(_ kind: String, _ texts: Texts) -> String {
        texts(ProvidersText.connectTitle, ["kind": texts(ProvidersText.kind(kind))])
    }

    @HTMLBuilder
    private static func row(_ provider: JSONValue, _ texts: Texts) -> [HTML] {
        div(.class("grow")) {
            p(.class("strong")) {
                a(.href("/sign-in-providers/\(provider["id"]?.text ?? "")")) {
                    written(provider["name"]?.text ?? "")
                }
            }
            p(.class("soft")) {
                dotted([
                    .text(texts(ProvidersText.kind(provider["kind"]?.text ?? ""))),
                    written(provider["issuer"]?.text ?? ""),
                ])
            }
        }
    }

    private static func question(_ page: ProviderPage, _ visit: Visit) -> View {
        let texts = visit.texts
        return Console.confirmation(
            visit, title: texts(ProvidersText.removeTitle, ["name": page.form["name"]]),
            does: texts(ProvidersText.removeDoes), button: texts(ProvidersText.remove),
            to: "/sign-in-providers/\(visit["id"])/removal",
            back: "/sign-in-providers/\(visit["id"])")
    }
}
