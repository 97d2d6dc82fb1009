/// What stands above the form beside its problems.
enum EditorQuestion: Sendable {
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
