import HTTPWire
import Values

/// The form that was typed into, shown again by whatever page could not take it.
enum TypedForm {
    /// Where the form stood at first, for the script that keeps what is typed, and for links back.
    static let pageField = "typedAt"

    // MARK: On the way through the sign-in

    /// What the sign-in page says to a person whose words it carries.
    static func promise(_ texts: Texts) -> HTML {
        notice(.info, .info) { p { texts.html(TypedText.promise) } }
    }

    /// The field with which a form of a door carries them on.
    static func carrying(_ visit: Visit) -> HTML {
        guard let carried = visit.carried else { return .nothing }
        return input(.type("hidden"), .name(Typed.field), .value(carried))
    }

    /// For a person who is signed in by now, in another tab of the same browser.
    static func elsewhere(_ visit: Visit) -> HTML {
        guard visit.carried != nil else { return .nothing }
        return postForm(visit, LocalPath(own: TypedPage.path), .class("stack")) {
            p(.class("soft")) { visit.texts(TypedText.elsewhere) }
            carrying(visit)
            button(.class("button"), .type("submit")) { visit.texts(TypedText.show) }
        }
    }

    /// A page for the time in which nobody can say who is signed in: what was typed is on it, but sealed.
    static func sealedAgain(_ visit: Visit) -> HTML {
        postForm(visit, LocalPath(own: TypedPage.path), .class("card stack")) {
            p { visit.texts(TypedText.failed) }
            carrying(visit)
            button(.class("button button-main"), .type("submit")) { visit.texts(TypedText.again) }
        }
    }

    // MARK: The form

    /// The whole page after signing in again.
    static func afterSignIn(_ typed: Typed, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(TypedText.title)) {
            div(.class("reading stack")) {
                h1 { texts(TypedText.title) }
                notice(.info, .info) {
                    p {
                        texts.html(
                            TypedText.ended,
                            [
                                "when": .text(visit.moment(typed.at)),
                                "name": written(visit.person?.name.text ?? ""),
                            ])
                    }
                    p { texts(TypedText.unsaved) }
                }
                form(typed, visit, texts(TypedText.save))
                p(.class("small soft")) { texts(TypedText.only) }
            }
        }.goingOn(to: typed.target)
    }

    /// The whole page for a form whose token is no longer good.
    static func outdated(_ typed: Typed, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(TypedText.title), visit.person == nil ? .narrow : .full) {
            div(.class("reading stack")) {
                h1 { texts(TypedText.title) }
                notice(.info, .info) {
                    p { texts(TypedText.outdated) }
                    p { texts(TypedText.unsaved) }
                }
                form(typed, visit, texts(TypedText.save))
                if visit.person != nil { p(.class("small soft")) { texts(TypedText.only) } }
            }
        }.goingOn(to: typed.target).refused(403)
    }

    /// Below what a page says about a failure.
    static func section(_ typed: Typed, _ visit: Visit) -> HTML {
        div(.class("reading stack")) {
            h2 { visit.texts(TypedText.title) }
            p { visit.texts(TypedText.perhaps) }
            form(typed, visit, visit.texts(TypedText.again))
        }
    }

    /// What was typed stands in fields again; what was chosen goes along.
    private static func form(_ typed: Typed, _ visit: Visit, _ words: String) -> HTML {
        var content = Content(typed, visit.texts)
        let inner = content.html(words)
        let own = [
            Attribute("method", "post"), Attribute("action", typed.target.text), .class("card"),
            Attribute("data-typed-at", typed.page.text),
            Attribute("enctype", typed.takesFile ? "multipart/form-data" : nil),
        ]
        return Tag("form")(all: own) {
            // First, because nothing is received of a file before its token.
            input(
                .type("hidden"), .name(FormKey.field),
                .value(visit.token(for: inner, filled: typed.filled, at: typed.filledAt)))
            HTML.parts(inner)
        }
    }
}

extension View {
    /// The same with a form that may lead to the question of an app.
    fileprivate func goingOn(to target: LocalPath) -> View {
        var view = self
        view.formTargets = AuthorizationRequest.formTargets(to: target)
        return view
    }
}

/// The content of the form, in which each value stands once.
private struct Content {
    private let typed: Typed
    private let texts: Texts
    private var left: [QueryItem]

    init(_ typed: Typed, _ texts: Texts) {
        self.typed = typed
        self.texts = texts
        left = typed.items
    }

    mutating func html(_ words: String) -> [HTML] {
        // Before fields take their values: a button may be named like nothing else.
        let pressed = pressedButton
        var parts: [HTML] = []
        for (number, field) in typed.controls.fields.enumerated() where !field.isFile {
            parts.append(control(field, "typed-\(number)"))
        }
        for item in left {
            parts.append(input(.type("hidden"), .name(item.name), .value(item.value)))
        }
        parts.append(input(.type("hidden"), .name(TypedForm.pageField), .value(typed.page.text)))
        let names = Set(left.map(\.name)).intersection(typed.controls.choices)
        if !names.isEmpty {
            parts.append(p(.class("soft")) { texts(TypedText.left, count: names.count) })
        }
        for (number, field) in typed.controls.fields.enumerated() where field.isFile {
            parts.append(p(.class("soft")) { texts(TypedText.file) })
            // The last field, as the server wants it.
            parts.append(control(field, "typed-\(number)"))
        }
        parts.append(
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) { pressed ?? words }
                a(
                    .class("button button-plain"), .href(typed.page),
                    Attribute("data-forget", "yes")
                ) { texts(TypedText.discard) }
            })
        return parts
    }

    /// The words of the button that was pressed, as far as it says so.
    private var pressedButton: String? {
        let buttons = typed.controls.buttons
        let named = buttons.first { button in
            !button.name.isEmpty
                && left.contains { $0.name == button.name && $0.value == button.value }
        }
        return (named ?? buttons.first { $0.name.isEmpty })?.words
    }

    private mutating func take(_ name: String) -> String? {
        guard let index = left.firstIndex(where: { $0.name == name }) else { return nil }
        return left.remove(at: index).value
    }

    private mutating func control(_ field: FormControls.Field, _ id: String) -> HTML {
        let value = field.isSecret || field.isFile ? nil : take(field.name)
        return div(.class("field")) {
            label(.for(id)) { field.label }
            if field.kind == "textarea" {
                textarea(
                    .class("input"), .id(id), .name(field.name), .dirAuto, Attribute("rows", "6")
                ) {
                    // The first line end after the tag is not part of the text.
                    "\n"
                    value ?? ""
                }
            } else {
                input(
                    .class("input"), .id(id), .name(field.name), Attribute("type", field.kind),
                    .value(value),
                    Attribute("dir", ["text", "search"].contains(field.kind) ? "auto" : nil))
            }
        }
    }
}
