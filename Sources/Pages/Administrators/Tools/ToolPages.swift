import HTTPWire
import JSONBytes

enum ToolsText: String, TextKey {
    case title, intro, link, linkHint, add, none, noneAdvice, newTitle
    case name, nameHint, login, loginHint, launch, launchHint, choosing, choosingHint
    case keys, keysHint, redirects, redirectsHint, location, everywhere, ofLocation
    case shares, sharesNames, sharesEmails, sharesHint
    case register, save, edit, values, issuer, clientID, deploymentID
    case authorization, token, ownKeys
    case remove, removeTitle, removeDoes
    case errorTitle, errorAddress, errorRedirects, errorLocation, noticeSaved, noticeRemoved

    static let section = "tools"
}

/// `/tools`: other systems in which students work on tasks (LTI 1.3).
enum ToolPages: Screen {
    static let path: LocalPath = "/tools"

    static var pages: [Page] {
        [
            .show(path.text, for: .administrator) { visit in
                try await Console.all("/v1/tools", visit.api)
            } render: { tools, visit in
                view(tools, visit)
            },
            .get("/tools/new", for: .administrator) { visit in
                let locations = try await Console.all("/v1/locations", visit.api)
                return .view(newView(ToolForm(), locations, .none, visit))
            },
            .post("/tools/new", for: .administrator, register),
            .get("/tools/{id}", for: .administrator) { visit in
                async let locations = Console.all("/v1/locations", visit.api)
                let found = try await visit.api.getTagged(call(visit))
                let form = ToolForm(found.document, tag: found.tag)
                return .view(view(found.document, form, try await locations, .none, visit))
            },
            .post("/tools/{id}", for: .administrator, save)
                .changing(.setting("toolChange", byID: true)),
            .get("/tools/{id}/removal", for: .administrator) { visit in
                let texts = visit.texts
                let tool = try await visit.api.get(call(visit))
                let values = ["name": tool["name"]?.text ?? ""]
                return .view(
                    Console.confirmation(
                        visit, title: texts(ToolsText.removeTitle, values),
                        does: texts(ToolsText.removeDoes, values),
                        button: texts(ToolsText.remove), to: visit.address.withoutQuery,
                        back: "/tools/\(visit["id"])"))
            },
            .post("/tools/{id}/removal", for: .administrator) { _, visit in
                try await visit.api.delete(call(visit))
                return .redirect(path, notice: Notice(ToolsText.noticeRemoved))
            },
        ]
    }

    private static func call(_ visit: Visit) -> LocalPath { "/v1/tools/\(visit["id"])" }

    /// The way back from a page below the list.
    private static func crumbs(_ texts: Texts, list: Bool = true) -> HTML {
        let systems = (ConnectedSystems.path, HTML.text(texts(SystemsText.title)))
        return Console.crumbs(
            texts, list ? [systems, (path, .text(texts(ToolsText.title)))] : [systems])
    }

    // MARK: The list

    private static func view(_ tools: [JSONValue], _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ToolsText.title)) {
            div {
                crumbs(texts, list: false)
                heading(texts(ToolsText.title), below: .text(texts(ToolsText.intro))) {
                    a(.class("button button-main"), .href("/tools/new")) {
                        Icon.plus.html
                        texts(ToolsText.add)
                    }
                }
            }
            if tools.isEmpty {
                emptyBox(texts(ToolsText.none), texts(ToolsText.noneAdvice))
            } else {
                ul(.class("list list-boxed list-wraps"), .label(texts(ToolsText.title))) {
                    for tool in tools {
                        li {
                            div(.class("grow")) {
                                p(.class("strong")) {
                                    a(.href("/tools/\(tool["id"]?.text ?? "")")) {
                                        written(tool["name"]?.text ?? "")
                                    }
                                }
                                p(.class("small soft")) { code { tool["launchUrl"]?.text ?? "" } }
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: Registering and changing

    private static func newView(
        _ form: ToolForm, _ locations: [JSONValue], _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(ToolsText.newTitle)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs(texts)
                heading(title)
            }
            problems.summary(texts(ToolsText.errorTitle))
            postForm(visit, "/tools/new", .class("card reading")) {
                form.fields(locations, problems, texts)
                button(.class("button button-main"), .type("submit")) {
                    texts(ToolsText.register)
                }
            }
        }
    }

    private static func register(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = ToolForm(form)
        do {
            let made = try await visit.api.post("/v1/tools", sent.body(isNew: true))
            return .redirect(
                "/tools/\(made["id"]?.text ?? "")", notice: Notice(ToolsText.noticeSaved))
        } catch let refusal as Refusal where refusal.status == 422 {
            let locations = try await Console.all("/v1/locations", visit.api)
            let problems = try sent.problems(refusal, visit.texts)
            return .view(newView(sent, locations, problems, visit).refused())
        }
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = ToolForm(form)
        do {
            try await visit.api.send(
                .patch, call(visit), sent.body(isNew: false),
                headers: sent.tag.isEmpty ? [] : [(name: "If-Match", value: sent.tag)])
            return .redirect(path, notice: Notice(ToolsText.noticeSaved))
        } catch let refusal as Refusal where refusal.status == 422 {
            let problems = try sent.problems(refusal, visit.texts)
            let tool = try await visit.api.get(call(visit))
            let locations = try await Console.all("/v1/locations", visit.api)
            return .view(view(tool, sent, locations, problems, visit).refused(refusal))
        }
    }

    private static func view(
        _ tool: JSONValue, _ form: ToolForm, _ locations: [JSONValue], _ problems: FormProblems,
        _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = tool["name"]?.text ?? ""
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs(texts)
                heading(title)
            }
            problems.summary(texts(ToolsText.errorTitle))
            values(tool, visit)
            editForm(
                visit, "/tools/\(visit["id"])", version: form.tag, .class("card reading")
            ) {
                h2 { texts(ToolsText.edit) }
                form.fields(locations, problems, texts)
                button(.class("button button-main"), .type("submit")) { texts(ToolsText.save) }
            }
            p {
                a(.class("button button-risk"), .href("/tools/\(visit["id"])/removal")) {
                    texts(ToolsText.remove)
                }
            }
        }
    }

    /// What the tool has to know.
    private static func values(_ tool: JSONValue, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let site = visit.site ?? ""
        let items: [(ToolsText, String)] = [
            (.issuer, site), (.clientID, tool["clientId"]?.text ?? ""),
            (.deploymentID, tool["deploymentId"]?.text ?? ""),
            (.authorization, site + "/lti/authorize"), (.token, site + "/lti/token"),
            (.ownKeys, site + "/lti/jwks"),
        ]
        return section(.class("card reading")) {
            h2 { texts(ToolsText.values) }
            dl(.class("facts")) {
                for (name, value) in items { Console.fact(texts(name), code { value }) }
            }
        }
    }
}
