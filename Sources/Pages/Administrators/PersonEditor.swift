import HTTPWire
import JSONBytes

/// `/people/new` and `/people/{id}/edit`.
enum PersonEditor: Screen {
    static var pages: [Page] {
        [
            .show("/people/new", for: .peopleManager) { visit in
                Content(form: PersonForm(), locations: try await Locations.load(visit.api))
            } render: { content, visit in
                view(content, .none, visit)
            },
            .post("/people/new", for: .peopleManager) { form, visit in
                try await save(PersonForm(form), visit) { body in
                    let made = try await visit.api.post("/v1/people", body)
                    let notice: PersonText =
                        visit.schoolUsesPasswords ? .noticeMade : .noticeMadeWithout
                    return (made["id"]?.text ?? "", notice)
                }
            },
            .show("/people/{id}/edit", for: .peopleManager) { visit in
                async let found = visit.api.getTagged("/v1/people/\(visit["id"])")
                async let locations = Locations.load(visit.api)
                guard let person = DirectoryPerson(try await found.document) else {
                    throw UnexpectedDocument()
                }
                return try await Content(
                    form: PersonForm(person, tag: found.tag), locations: locations)
            } render: { content, visit in
                view(content, .none, visit)
            },
            .post("/people/{id}/edit", for: .peopleManager) { form, visit in
                let sent = PersonForm(form)
                return try await save(sent, visit) { body in
                    try await visit.api.send(
                        .patch, "/v1/people/\(visit["id"])", body,
                        headers: sent.tag.isEmpty ? [] : [(name: "If-Match", value: sent.tag)])
                    return (visit["id"], .noticeSaved)
                }
            }.changing(.record("person")),
        ]
    }

    struct Content: Sendable {
        let form: PersonForm
        let locations: Locations
    }

    private static func save(
        _ form: PersonForm, _ visit: Visit,
        _ send: @Sendable (JSONValue) async throws -> (id: String, notice: PersonText)
    ) async throws -> Answer {
        do {
            let saved = try await send(form.body(isNew: visit["id"].isEmpty))
            return .redirect("/people/\(saved.id)", notice: Notice(saved.notice))
        } catch let refusal as Refusal
            where refusal.status < 500 && ![404, 412].contains(refusal.status)
        {
            let problems = try form.problems(refusal, visit.texts)
            let content = Content(form: form, locations: try await Locations.load(visit.api))
            return .view(view(content, problems, visit).refused(refusal))
        }
    }

    private static func view(
        _ content: Content, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let isNew = visit["id"].isEmpty
        let back: LocalPath = isNew ? "/people" : "/people/\(visit["id"])"
        let title = texts(isNew ? PersonFormText.newTitle : .editTitle)
        let fields = div(.class("stack reading")) {
            names(content.form, problems, isNew, texts)
            roles(content, problems, texts)
            more(content.form, problems, texts)
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) {
                    texts(isNew ? PersonFormText.make : .save)
                }
                a(.class("button"), .href(back)) { texts(ConsoleText.cancel) }
            }
        }
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Console.crumbs(texts, [("/people", .text(texts(PeopleText.title)))])
                heading(title)
            }
            problems.summary(texts(PersonFormText.errorTitle))
            if isNew {
                postForm(visit, "/people/new") { fields }
            } else {
                editForm(visit, "/people/\(visit["id"])/edit", version: content.form.tag) { fields }
            }
        }
    }

    private static func names(
        _ form: PersonForm, _ problems: FormProblems, _ isNew: Bool, _ texts: Texts
    ) -> HTML {
        func text(_ id: String, _ key: PersonFormText, hint: String? = nil) -> HTML {
            field(
                id, label: texts(key), hint: hint, problem: problems[id], .value(form[id]),
                .autocomplete("off"), .dirAuto)
        }
        return section(.class("card")) {
            h2 { texts(PersonFormText.names) }
            text("givenName", .givenName)
            text("middleName", .middleName)
            text("familyName", .familyName)
            input(.type("hidden"), .name("formerOrder"), .value(form["formerOrder"]))
            Console.choice(
                "nameOrder", label: texts(PersonFormText.nameOrder),
                [
                    ("", texts(PersonFormText.orderOfSchool)),
                    ("givenFirst", texts(PersonFormText.givenFirst)),
                    ("familyFirst", texts(PersonFormText.familyFirst)),
                ], chosen: form["nameOrder"], problem: problems["nameOrder"])
            text(
                "managedId", .managedID,
                hint: isNew ? texts(PersonFormText.managedIDNew) : nil)
        }
    }

    private static func roles(
        _ content: Content, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        let words: [RoleText] = RoleText.allCases.reversed()
        let options: [(value: String, text: String)] =
            [("", texts(PersonFormText.noRole))] + words.map { ($0.rawValue, texts($0)) }
        return fieldset(.class("card"), .together("roles")) {
            legend(.class("unseen")) { texts(PersonFormText.roles) }
            h2(.hidden) { texts(PersonFormText.roles) }
            p(.class("hint")) { texts(PersonFormText.rolesHint) }
            for (index, role) in content.form.roles.enumerated() {
                div(.class("filter"), .with("role-\(index)")) {
                    Console.choice(
                        "role-\(index)", label: texts(PersonFormText.role), options,
                        chosen: role.word, problem: problems["role-\(index)"])
                    Console.choice(
                        "location-\(index)", label: texts(PersonFormText.location),
                        content.locations.options, chosen: role.locationID)
                }
            }
        }
    }

    private static func more(
        _ form: PersonForm, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        func text(_ id: String, _ key: PersonFormText, hint: String? = nil) -> HTML {
            field(
                id, label: texts(key), hint: hint, problem: problems[id], .value(form[id]),
                .autocomplete("off"))
        }
        return section(.class("card")) {
            h2 { texts(PersonFormText.more) }
            text("grade", .grade)
            text("email", .email)
            text("personNumber", .personNumber)
            text("sourceId", .sourceID, hint: texts(PersonFormText.sourceIDHint))
            Console.choice(
                "passwordPolicy", label: texts(PersonFormText.policy),
                [
                    ("", texts(PersonFormText.policyNone)), ("4", texts(PersonText.policy4)),
                    ("6", texts(PersonText.policy6)), ("8", texts(PersonText.policy8)),
                ], chosen: form["passwordPolicy"], problem: problems["passwordPolicy"])
        }
    }
}
