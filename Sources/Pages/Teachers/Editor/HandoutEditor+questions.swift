/// What stands above the form beside its problems.
enum EditorQuestion: Sendable {
    /// Someone else changed the handout meanwhile.
    case conflict
    /// Someone else changed what was changed here as well.
    case both([HandoutMerge.Clash])
    /// The task to remove has been begun.
    case begun(task: String)
    /// Nobody is ticked any more, and it was for chosen students.
    case everyone
    /// It is due before its students see it.
    case due(Doubt)
}

extension HandoutEditor {
    static func question(
        _ question: EditorQuestion, _ content: Content, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        switch question {
        case .conflict:
            let moment = content.handout?.summary.updatedAt ?? visit.now
            return notice(.warn, .warn) {
                h2 { texts(EditorText.conflictTitle) }
                p { texts(EditorText.conflict, ["when": visit.moment(moment)]) }
                p {
                    a(.href(visit.address.withoutQuery), Attribute("target", "_blank")) {
                        texts(EditorText.conflictLink)
                    }
                }
            }
        case .both(let clashes): return both(clashes, content, visit)
        case .begun(let id):
            let title = content.handout?.tasks.first { $0.id == id }?.title ?? ""
            return notice(.warn, .warn) {
                h2 { texts(EditorText.begunTitle) }
                p { texts.html(EditorText.begun, ["task": written(title)]) }
                p {
                    button(
                        .class("button button-risk"), .type("submit"), .name("discard"),
                        .value(id)
                    ) { texts(EditorText.discard) }
                }
            }
        case .everyone:
            return asked(EditorText.everyoneTitle, texts(EditorText.everyoneAsked), texts) {
                check("everyone", "yes", texts(EditorText.everyoneYes))
            }
        case .due(let doubt):
            let title: ActionText = doubt.appears == nil ? .duePastTitle : .dueBeforeTitle
            return asked(title, doubt.words(visit), texts) {
                check("anyway", doubt.answer, texts(EditorText.dueYes))
            }
        }
    }

    /// Field by field theirs and yours. Yours stands in the form, with all else that either of the two changed.
    private static func both(
        _ clashes: [HandoutMerge.Clash], _ content: Content, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let moment = content.handout?.summary.updatedAt ?? visit.now
        return asked(
            EditorText.bothTitle, texts(EditorText.both, ["when": visit.moment(moment)]), texts
        ) {
            for clash in clashes {
                h3 { texts(clash.field.label) }
                dl(.class("facts")) {
                    for (key, typed) in [
                        (EditorText.theirs, clash.theirs), (.yours, clash.yours),
                    ] {
                        div {
                            dt { texts(key) }
                            dd(.dirAuto) { clash.field.words(typed, content, visit) }
                        }
                    }
                }
            }
        }
    }

    private static func asked<Key: TextKey>(
        _ title: Key, _ text: String, _ texts: Texts, @HTMLBuilder answer: () -> [HTML]
    ) -> HTML {
        div(.role("alert"), .tabindex(-1), .autofocus) {
            notice(.warn, .warn) {
                h2 { texts(title) }
                p { text }
                parts(answer)
            }
        }
    }

    private static func check(_ name: String, _ value: String, _ text: String) -> HTML {
        label(.class("choice")) {
            input(.type("checkbox"), .name(name), .value(value))
            span { text }
        }
    }
}
