import JSONBytes

/// `/handouts/{id}/copy`: the same handout once more, as a draft, for this class or another one.
enum HandoutCopy: Screen {
    static var pages: [Page] {
        [
            .get("/handouts/{id}/copy", for: .teacher) { visit in
                let content = try await load(visit)
                return .view(
                    view(
                        content, classID: content.handout.classID,
                        title: content.handout.summary.title, .none, visit))
            },
            .post("/handouts/{id}/copy", for: .teacher, copy),
        ]
    }

    private struct Content: Sendable {
        let handout: EditedHandout
        let classes: [Side.SchoolClass]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let person = visit.person?.id ?? ""
        async let handout = EditedHandout.load(visit["id"], visit.api)
        async let page = visit.api.get("/v1/classes?teacherId=\(person)&limit=200")
        return try await Content(
            handout: handout,
            classes: (page["items"]?.array ?? []).compactMap(Side.SchoolClass.init))
    }

    private static func copy(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let (classID, title) = (form["class"], form["title"].trimmedSpace)
        var problems = FormProblems.none
        if classID.isEmpty { problems.add("class", texts(ActionText.errorClass)) }
        if title.isEmpty { problems.add("title", texts(ActionText.errorName)) }
        if problems.isEmpty {
            do {
                let made = try await visit.api.post(
                    "/v1/handouts/\(visit["id"])/copy",
                    ["classId": .text(classID), "title": .text(title)])
                guard let id = made["id"]?.text else { throw UnexpectedAnswer() }
                return .redirect(
                    "/handouts/\(id)/edit", notice: Notice(ActionText.noticeCopied))
            } catch let refusal as Refusal where refusal.isForForm {
                if refusal.fields["/title"] != nil {
                    problems.add("title", texts(ActionText.errorName))
                } else if refusal.fields["/classId"] != nil {
                    problems.add("class", texts(ActionText.errorClass))
                } else {
                    problems.add("class", TeachingText.sentence(refusal, texts))
                }
            }
        }
        let content = try await load(visit)
        return .view(view(content, classID: classID, title: title, problems, visit).refused())
    }

    private static func view(
        _ content: Content, classID: String, title name: String, _ problems: FormProblems,
        _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let handout = content.handout
        let title = texts(ActionText.copyTitle)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                crumbs([("/classes/\(handout.classID)", handout.summary.title)], texts)
                heading(title, below: .text(texts(ActionText.copyText)))
            }
            problems.summary(texts(ActionText.errorsTitle))
            postForm(visit, visit.address.withoutQuery, .class("card reading")) {
                fieldset(.id("class")) {
                    legend { texts(ActionText.copyClass) }
                    if let problem = problems["class"] {
                        p(.class("problem")) {
                            Icon.warn.html
                            problem
                        }
                    }
                    for item in content.classes {
                        choice("class", item.id, isChosen: item.id == classID) {
                            written(item.name)
                            if let number = item.number {
                                span(.class("hint")) { written(number) }
                            }
                        }
                    }
                }
                field(
                    "title", label: texts(ActionText.copyName), problem: problems["title"],
                    .value(name), Attribute("maxlength", "256"), .dirAuto)
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(ActionText.copyButton)
                    }
                    a(.class("button button-plain"), .href("/classes/\(handout.classID)")) {
                        texts(TeachingText.cancel)
                    }
                }
            }
        }
    }
}
