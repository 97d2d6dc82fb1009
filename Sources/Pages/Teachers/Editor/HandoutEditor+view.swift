extension HandoutEditor {
    static func view(
        _ content: Content, _ typed: HandoutForm, problems: FormProblems = .none,
        question: EditorQuestion? = nil, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(content.handout == nil ? EditorText.titleNew : .titleEdit)
        let isRefused = !problems.isEmpty
        let address = visit.address.withoutQuery
        let fields = parts {
            // What the return key presses.
            button(
                .class("unseen"), .type("submit"), .name("do"), .value("save"), .tabindex(-1),
                .hidden)
            div(.class("stack")) {
                if let question { self.question(question, content, visit) }
                whatCard(typed, problems, texts)
                tasksCard(content, problems, texts)
                whoCard(content, typed, problems, texts)
                whenCard(content, typed, problems, visit)
                buttons(content, texts)
            }
            aside(content, visit)
        }
        return View(isRefused ? texts(ErrorText.formTitle, ["title": title]) : title) {
            div {
                crumbs([("/classes/\(content.schoolClass.id)", content.schoolClass.name)], texts)
                heading(
                    title,
                    below: texts.html(
                        EditorText.forClass, ["class": written(content.schoolClass.name)]))
            }
            problems.summary(texts(EditorText.errorsTitle))
            if content.handout == nil {
                postForm(visit, address, .class("two"), .id("handout")) { fields }
            } else {
                editForm(visit, address, version: typed.tag, .class("two"), .id("handout")) {
                    fields
                }
            }
        }
    }

    // MARK: The cards

    private static func whatCard(
        _ typed: HandoutForm, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        section(.class("card"), .labelledBy("s-what")) {
            h2(.id("s-what")) { texts(EditorText.what) }
            field(
                "title", label: texts(EditorText.fieldTitle), problem: problems["title"],
                .value(typed.title), Attribute("maxlength", "256"), .dirAuto)
            textField(
                "instructions", label: texts(EditorText.instructions),
                hint: texts(EditorText.instructionsHint), problem: problems["instructions"],
                typed.instructions)
            field(
                "points", label: texts(EditorText.points), hint: texts(EditorText.pointsHint),
                problem: problems["points"], style: "input input-short", .type("text"),
                Attribute("inputmode", "decimal"), .autocomplete("off"), .value(typed.points))
        }
    }

    private static func whoCard(
        _ content: Content, _ typed: HandoutForm, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        section(.class("card"), .labelledBy("s-who")) {
            h2(.id("s-who")) { texts(EditorText.who) }
            if let problem = problems["recipients"] {
                p(.class("problem"), .id("recipients-problem")) {
                    Icon.warn.html
                    problem
                }
            }
            who(content, typed, texts)
            details(.class("fold"), Attribute("open", if: !typed.chosen.isEmpty)) {
                summary { texts(EditorText.choose) }
                fieldset(
                    .id("recipients"), .together("recipients"), .empty(texts(EditorText.everyone))
                ) {
                    legend(.class("unseen")) { texts(EditorText.legend) }
                    p(.class("hint")) { texts(EditorText.chooseHint) }
                    div(.class("columns")) {
                        for student in content.students {
                            label(.class("choice")) {
                                input(
                                    .type("checkbox"), .name("student"), .value(student.id),
                                    .checked(typed.chosen.contains(student.id)))
                                span(.dirAuto) { student.name }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Who gets it, in words that the script keeps true while students are ticked.
    private static func who(
        _ content: Content, _ typed: HandoutForm, _ texts: Texts
    ) -> HTML {
        let count = content.students.count { typed.chosen.contains($0.id) }
        let everyone = texts(EditorText.everyone)
        return parts {
            p(
                .class("strong"), Attribute("data-ticked", "student"),
                Attribute("data-none", everyone),
                Attribute("data-one", texts(EditorText.chosenCount, count: 1)),
                Attribute(
                    "data-many",
                    texts(EditorText.chosenCount, count: 2)
                        .replacing(texts.number(2), with: "{n}"))
            ) {
                count == 0 ? everyone : texts(EditorText.chosenCount, count: count)
            }
            p(.class("hint")) {
                texts(EditorText.everyoneHint, count: content.students.count)
            }
        }
    }

    private static func whenCard(
        _ content: Content, _ typed: HandoutForm, _ problems: FormProblems, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return section(.class("card"), .labelledBy("s-when")) {
            h2(.id("s-when")) { texts(EditorText.when) }
            div(.class("row row-end"), .together("due"), .meaning(texts(EditorText.dueDate))) {
                field(
                    "dueDate", label: texts(EditorText.dueDate), problem: problems["dueDate"],
                    style: "input input-short", .type("date"), .value(typed.dueDate))
                field(
                    "dueTime", label: texts(EditorText.dueTime), problem: problems["dueTime"],
                    style: "input input-short", .type("time"), .value(typed.dueTime))
            }
            p(.class("hint")) { texts(EditorText.dueHint) }
            if let handout = content.handout, handout.summary.state == .scheduled,
                let moment = handout.summary.publishAt
            {
                div(.class("row card-foot")) {
                    p { texts(EditorText.appears, ["when": visit.moment(moment)]) }
                    button(
                        .class("button"), .type("submit"), .name("do"), .value("publish")
                    ) { texts(EditorText.changeTime) }
                }
            }
        }
    }

    private static func buttons(_ content: Content, _ texts: Texts) -> HTML {
        let isDraft = content.handout?.summary.state == .draft
        return div(.class("row sticky-foot")) {
            if isDraft {
                button(
                    .class("button button-main"), .type("submit"), .name("do"),
                    .value("publish")
                ) { texts(EditorText.publish) }
            }
            button(
                .class(isDraft ? "button" : "button button-main"), .type("submit"),
                .name("do"), .value("save")
            ) {
                texts(isDraft || content.handout == nil ? EditorText.saveDraft : .save)
            }
            a(.class("button button-plain"), .href("/classes/\(content.schoolClass.id)")) {
                texts(TeachingText.cancel)
            }
        }
    }

    private static func aside(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let state: EditorText =
            switch content.handout?.summary.state {
            case nil, .draft: .draftNotice
            case .scheduled: .scheduledNotice
            default: .publishedNotice
            }
        return div(.class("stack")) {
            notice(.plain, .info) { p { texts(state) } }
            notice(.plain, .shield) {
                h2 { texts(EditorText.recorded) }
                p { texts(EditorText.recordedText) }
            }
        }
    }

    /// A handout that cannot change any more.
    static func closed(_ handout: EditedHandout, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(EditorText.closedTitle)) {
            heading(texts(EditorText.closedTitle))
            div(.class("stack reading")) {
                p { texts.html(EditorText.closed, ["title": written(handout.summary.title)]) }
                div(.class("row")) {
                    a(.class("button button-main"), .href("/handouts/\(handout.id)/copy")) {
                        texts(ActionText.copyButton)
                    }
                    a(.class("button button-plain"), .href("/classes/\(handout.classID)")) {
                        texts(TeachingText.back)
                    }
                }
            }
        }
    }
}

/// One of several choices.
func choice(
    _ name: String, _ value: String, isChosen: Bool, @HTMLBuilder content: () -> [HTML]
) -> HTML {
    label(.class("choice")) {
        input(.type("radio"), .name(name), .value(value), .checked(isChosen))
        span { parts(content) }
    }
}

/// A labelled field for several lines.
func textField(
    _ id: String, label text: String, hint: String? = nil, problem: String? = nil, _ value: String
) -> HTML {
    let notes = [hint == nil ? nil : "\(id)-hint", problem == nil ? nil : "\(id)-problem"]
    return div(.class(problem == nil ? "field" : "field field-bad")) {
        label(.for(id)) { text }
        if let hint { p(.class("hint"), .id("\(id)-hint")) { hint } }
        if let problem {
            p(.class("problem"), .id("\(id)-problem")) {
                Icon.warn.html
                problem
            }
        }
        textarea(
            .class("input"), .id(id), .name(id), .dirAuto,
            .describedBy(notes.compactMap { $0 }.joined(separator: " ").nilIfEmpty),
            Attribute("aria-invalid", problem == nil ? nil : "true")
        ) {
            // The first line end after the tag is not part of the text.
            "\n"
            value
        }
    }
}
