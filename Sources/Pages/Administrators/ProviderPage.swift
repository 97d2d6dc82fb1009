import JSONBytes

/// One sign-in provider: how to connect it, its form, and what to do with it.
struct ProviderPage: Sendable {
    /// `nil` if it is not connected yet.
    let id: String?
    let form: ProviderForm
    let redirect: String

    /// - Parameter failure: why a test of the connection failed, in the words of the API.
    func view(
        _ visit: Visit, _ problems: FormProblems = .none, failure: String? = nil
    ) -> View {
        let texts = visit.texts
        let title = id == nil ? Providers.connectTitle(form.kind, texts) : form["name"]
        let content = parts {
            input(.type("hidden"), .name("kind"), .value(form.kind))
            div(.class("stack reading")) {
                section(.class("card")) { fields(texts, problems) }
                button(.class("button button-main"), .type("submit")) {
                    texts(id == nil ? ProvidersText.connect : .save)
                }
            }
        }
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            Console.crumbs(
                texts, [("/sign-in-providers", .text(texts(ProvidersText.title)))])
            heading(title)
            problems.summary(texts(ProvidersText.errorTitle))
            if let failure {
                notice(.bad, .warn) {
                    p(.class("strong"), .role("alert")) { texts(ProvidersText.checkFailed) }
                    p(.lang("en")) { failure }
                }
            }
            how(texts)
            if let id {
                editForm(visit, "/sign-in-providers/\(id)", version: form.tag) { content }
            } else {
                postForm(visit, "/sign-in-providers") { content }
            }
            if let id { actions(id, visit) }
        }
    }

    private func how(_ texts: Texts) -> HTML {
        let key: ProvidersText =
            switch form.kind {
            case "google": .howGoogle
            case "microsoft": .howMicrosoft
            default: .howOther
            }
        return section(.class("card reading")) {
            h2 { texts(ProvidersText.how) }
            p { texts(key) }
            dl(.class("facts")) {
                Console.fact(texts(ProvidersText.redirect), code { redirect })
            }
            p(.class("hint")) { texts(ProvidersText.redirectHint) }
        }
    }

    @HTMLBuilder
    private func fields(_ texts: Texts, _ problems: FormProblems) -> [HTML] {
        text("name", .name, texts, problems, hint: .nameHint)
        if form.kind == "other" { text("issuer", .issuer, texts, problems, hint: .issuerHint) }
        if form.kind == "microsoft" { text("tenant", .tenant, texts, problems, hint: .tenantHint) }
        text("clientId", .clientID, texts, problems)
        field(
            "clientSecret", label: texts(ProvidersText.secret),
            hint: id == nil ? nil : texts(ProvidersText.secretKept),
            problem: problems["clientSecret"], .type("password"), .autocomplete("off"))
        Console.choice(
            "matching", label: texts(ProvidersText.matching),
            [
                ("managedId", texts(ProvidersText.matchingManagedID)),
                ("email", texts(ProvidersText.matchingEmail)),
            ], chosen: form["matching"], problem: problems["matching"])
        text("emailDomains", .domains, texts, problems, hint: .domainsHint)
    }

    private func text(
        _ id: String, _ key: ProvidersText, _ texts: Texts, _ problems: FormProblems,
        hint: ProvidersText? = nil
    ) -> HTML {
        field(
            id, label: texts(key), hint: hint.map { texts($0) }, problem: problems[id],
            .value(form[id]), Attribute("spellcheck", "false"))
    }

    private func actions(_ id: String, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("stack reading")) {
            p(.class("soft")) { texts(ProvidersText.checkHint) }
            div(.class("row")) {
                postForm(visit, "/sign-in-providers/\(id)/check") {
                    button(.class("button"), .type("submit")) { texts(ProvidersText.check) }
                }
                a(.class("button button-risk"), .href("/sign-in-providers/\(id)/removal")) {
                    texts(ProvidersText.remove)
                }
            }
        }
    }
}
