import HTTPWire
import JSONBytes
import Values

/// `/services/new` and `/services/{id}`: making an account, its secret, renaming and revoking it.
enum ServiceAccountPage: Screen {
    static var pages: [Page] {
        [
            .get("/services/new", for: .administrator) { visit in
                .view(newPage(visit).view(RecordForm(fields(visit.texts)), .none, visit))
            },
            .post("/services/new", for: .administrator, make),
            .get("/services/{id}", for: .administrator) { visit in
                .view(try await page(try await ServiceAccount.load(visit), visit))
            },
            .post("/services/{id}", for: .administrator, rename)
                .changing(.setting("serviceAccountChange", byID: true, comparesFirst: true)),
            question("secret", .rotateTitle, .rotateDoes, .rotate),
            .post("/services/{id}/secret", for: .administrator, changeSecret),
            question("revocation", .revokeTitle, .revokeDoes, .revoke),
            .post("/services/{id}/revocation", for: .administrator) { _, visit in
                try await visit.api.delete("/v1/service-accounts/\(visit["id"])")
                return .redirect("/services", notice: Notice(ServiceText.noticeRevoked))
            },
        ]
    }

    private static func fields(_ texts: Texts) -> [RecordField] {
        [
            nameField(texts),
            RecordField(
                id: "role", label: texts(ServiceText.role),
                control: .choice([
                    ("provisioner", texts(ServiceText.provisionerHint)),
                    ("exporter", texts(ServiceText.exporterHint)),
                    ("rosterReader", texts(ServiceText.rosterReaderHint)),
                    ("directoryWriter", texts(ServiceText.directoryWriterHint)),
                ]), isRequired: true),
            RecordField(
                id: "expiresAt", label: texts(ServiceText.expires),
                hint: texts(ServiceText.expiresHint), control: .day),
        ]
    }

    private static func nameField(_ texts: Texts) -> RecordField {
        RecordField(
            id: "name", label: texts(ServiceText.name), hint: texts(ServiceText.nameHint),
            isRequired: true)
    }

    /// The fields of an account that change: its name, and where a directory writer puts people.
    private static func changedFields(
        _ account: ServiceAccount, _ visit: Visit
    ) async throws -> [RecordField] {
        let texts = visit.texts
        guard account.role == "directoryWriter" else { return [nameField(texts)] }
        let locations = try await Locations.load(visit.api)
        return [
            nameField(texts),
            RecordField(
                id: "defaultLocationId", label: texts(ServiceText.location),
                hint: texts(ServiceText.locationHint),
                control: .choice([("", texts(ServiceText.noLocation))] + locations.options)),
        ]
    }

    private static func question(
        _ name: String, _ title: ServiceText, _ does: ServiceText, _ button: ServiceText
    ) -> Page {
        Console.question(
            "/services/{id}/\(name)", title: title, does: does, button: button,
            back: { "/services/\($0["id"])" }
        ) { visit in
            ["name": try await ServiceAccount.load(visit).name]
        }
    }

    private static func make(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let form = RecordForm(fields(texts), sent)
        var body = form.body(isNew: true)
        // The day is the first on which it no longer works, where the school is.
        if let day = Day(form["expiresAt"]) {
            let zone = visit.person?.timeZone ?? .utc
            body["expiresAt"] = .text(
                LocalTime(day: day, hour: 0, minute: 0).moment(in: zone).description)
        }
        do {
            let made = try await visit.api.post("/v1/service-accounts", .object(body))
            return .view(try secret(made, visit))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try form.problems(
                refusal, texts, ["in_the_past": texts(ServiceText.errorPast)])
            return .view(newPage(visit).view(form, problems, visit).refused())
        }
    }

    private static func rename(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let account = try await ServiceAccount.load(visit)
        let form = RecordForm(try await changedFields(account, visit), sent)
        do {
            try await visit.api.send(
                .patch, "/v1/service-accounts/\(visit["id"])", .object(form.body(isNew: false)))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try form.problems(refusal, visit.texts)
            return .view(try await page(account, visit, renaming: problems).refused())
        }
        return .redirect("/services/\(visit["id"])", notice: Notice(ServiceText.noticeRenamed))
    }

    private static func changeSecret(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let changed = try await visit.api.post("/v1/service-accounts/\(visit["id"])/secret")
        return .view(try secret(changed, visit))
    }

    // MARK: The pages

    private static func newPage(_ visit: Visit) -> RecordPage {
        let texts = visit.texts
        return RecordPage(
            title: texts(ServiceText.new), errorTitle: texts(ServiceText.errorTitle),
            buttonText: texts(ServiceText.make), action: "/services/new", back: "/services",
            crumbs: [("/services", .text(texts(ServiceText.title)))])
    }

    /// The secret of an account, this once.
    private static func secret(_ document: JSONValue, _ visit: Visit) throws -> View {
        guard let account = ServiceAccount(document), let secret = document["clientSecret"]?.text
        else { throw UnexpectedDocument() }
        let texts = visit.texts
        return View(texts(ServiceText.secretTitle)) {
            heading(texts(ServiceText.secretTitle), below: written(account.name))
            notice(.warn, .warn) { p { texts(ServiceText.secretOnce) } }
            section(.class("card reading")) {
                dl(.class("facts")) {
                    Console.fact(texts(ServiceText.clientID), code { account.id })
                    Console.fact(
                        texts(ServiceText.secret), code { secret })
                    Console.fact(
                        texts(ServiceText.role),
                        .text(account.roleName(texts)))
                }
            }
            p(.class("row no-print")) {
                if account.usesGradebooks {
                    a(.class("button"), .href("/services/\(account.id)#gradebook")) {
                        texts(GrantText.add)
                    }
                }
                a(.class("button"), .href("/services")) { texts(ServiceText.back) }
            }
        }
    }

    /// The page of an account.
    ///
    /// - Parameters:
    ///   - problems: of the form that renames it.
    ///   - form: what was sent to grant it a gradebook, if that was refused.
    static func page(
        _ account: ServiceAccount, _ visit: Visit, renaming problems: FormProblems = .none,
        granting form: GrantForm? = nil
    ) async throws -> View {
        var card = HTML.nothing
        if account.usesGradebooks {
            card = try await GradebookCard.load(form ?? GrantForm(visit), visit).html(visit)
        }
        let fields = account.revokedAt == nil ? try await changedFields(account, visit) : []
        return view(account, fields, problems, form?.problems ?? .none, card, visit)
    }

    private static func view(
        _ account: ServiceAccount, _ fields: [RecordField], _ problems: FormProblems,
        _ ofGrant: FormProblems, _ gradebook: HTML, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let isRevoked = account.revokedAt != nil
        let isRefused = !problems.isEmpty || !ofGrant.isEmpty
        return View(
            isRefused ? texts(ErrorText.formTitle, ["title": account.name]) : account.name
        ) {
            div {
                Console.crumbs(texts, [("/services", .text(texts(ServiceText.title)))])
                heading(account.name, below: .text(account.roleName(texts)))
            }
            problems.summary(texts(ServiceText.errorTitle))
            ofGrant.summary(texts(GrantText.errorTitle))
            section(.class("card reading")) {
                facts(account, visit)
                p {
                    a(.href(LocalPath("/audit").with("account", account.id))) {
                        texts(ServiceText.events)
                    }
                }
            }
            if !isRevoked {
                naming(account, fields, problems, visit)
                gradebook
                endings(account, visit.texts)
            }
        }
    }

    private static func facts(_ account: ServiceAccount, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return dl(.class("facts")) {
            Console.fact(texts(ServiceText.clientID), code { account.id })
            if let moment = account.secretChangedAt {
                Console.fact(texts(ServiceText.secretSince), .text(visit.moment(moment)))
            }
            Console.fact(
                texts(ServiceText.expires),
                .text(account.expiresAt.map { visit.moment($0) } ?? texts(ServiceText.never)))
            if let moment = account.revokedAt {
                Console.fact(texts(ServiceText.revoked), .text(visit.moment(moment)))
            }
        }
    }

    private static func naming(
        _ account: ServiceAccount, _ fields: [RecordField], _ problems: FormProblems,
        _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return editForm(
            visit, "/services/\(account.id)", version: "", .class("card reading")
        ) {
            h2 { texts(ServiceText.rename) }
            RecordForm(
                fields,
                values: ["name": account.name, "defaultLocationId": account.locationID ?? ""]
            ).html(problems)
            div(.class("row")) {
                button(.class("button"), .type("submit")) { texts(ServiceText.save) }
            }
        }
    }

    /// What ends its secret, or the account.
    private static func endings(_ account: ServiceAccount, _ texts: Texts) -> HTML {
        div(.class("row")) {
            a(.class("button button-risk"), .href("/services/\(account.id)/secret")) {
                texts(ServiceText.rotate)
            }
            a(.class("button button-risk"), .href("/services/\(account.id)/revocation")) {
                texts(ServiceText.revoke)
            }
        }
    }
}
