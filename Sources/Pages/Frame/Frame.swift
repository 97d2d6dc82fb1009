import HTTPServer
import HTTPWire
import Values

/// What surrounds every page: the head of the document, the bar, the side navigation.
struct Frame: Sendable {
    let visit: Visit
    /// The pattern of the page that is shown.
    let path: String

    var texts: Texts { visit.texts }

    /// - Parameters:
    ///   - side: `nil` for doors.
    ///   - notice: what an earlier page has left to say.
    func document(_ view: View, side: Side?, notice: String?) -> [UInt8] {
        let page = parts {
            HTML.markup("<!doctype html>\n")
            html(.lang(texts.language.rawValue), Attribute("dir", "ltr")) {
                documentHead(view)
                body(all: keeping(view)) {
                    a(.class("skip"), .href(part: "main")) { texts(CommonText.skip) }
                    bar(hasSide: side != nil)
                    if side != nil { DemonstrationStrip.aside(visit) }
                    div(.class(side == nil ? "frame" : "frame frame-side")) {
                        if let side { navigation(side) }
                        mainTag(.class(view.mainClass), .id("main")) {
                            if let notice { self.notice(notice) }
                            if side != nil { SignInChanges.box(visit) }
                            view.main
                        }
                    }
                }
            }
        }
        return page.bytes
    }

    /// What the script has to know that keeps what is typed: whose page this is, and what became of a form that was
    /// sent.
    private func keeping(_ view: View) -> [Attribute] {
        let posted = view.status < 400 ? "done" : "refused"
        let outcome = Attribute("data-sent", visit.request.method == .post ? posted : nil)
        guard let id = visit.person?.id ?? visit.typist?.nilIfEmpty else { return [outcome] }
        return [
            outcome, Attribute("data-person", id),
            Attribute("data-restored", texts(TypedText.restored)),
            Attribute("data-discard", texts(TypedText.forget)),
        ]
    }

    private func documentHead(_ view: View) -> HTML {
        head {
            meta(Attribute("charset", "utf-8"))
            meta(
                .name("viewport"), Attribute("content", "width=device-width, initial-scale=1"))
            meta(.name("color-scheme"), Attribute("content", "light dark"))
            titleTag { texts(CommonText.pageTitle, ["title": view.title]) }
            link(.rel("stylesheet"), .href(Assets.shared.style))
            link(.rel("icon"), .href("/favicon.ico"))
            Tag("script")(Attribute("src", Assets.shared.script.text), Attribute("defer"))
        }
    }

    private func notice(_ text: String) -> HTML {
        div(.class("notice notice-good"), .role("status")) {
            Icon.done.html
            div { p { text } }
        }
    }

    private func bar(hasSide: Bool) -> HTML {
        header(.class("bar")) {
            if hasSide {
                button(
                    .class("bar-menu"), .type("button"), Attribute("popovertarget", "side")
                ) {
                    Icon.menu.html
                    span { texts(CommonText.menu) }
                }
            }
            a(.class("bar-school"), .href("/")) {
                Icon.mark
                span(.dirAuto) { visit.person?.school ?? texts(CommonText.program) }
            }
            if let person = visit.person { div(.class("bar-end")) { personMenu(person) } }
        }
    }

    private func personMenu(_ person: Person) -> HTML {
        let name = person.name.text
        let role = texts(person.mainRole)
        return details(.class("menu")) {
            summary {
                span(.class("bar-face"), .hidden) {
                    person.name.initials
                }
                span(.class("bar-name")) {
                    texts.html(
                        CommonText.nameAndRole, ["name": written(name), "role": .text(role)])
                }
                Icon.downSmall.html
            }
            div(.class("menu-body")) {
                p {
                    texts(CommonText.signedInAs)
                    br()
                    strong { written(name) }
                }
                a(.href("/me/sign-in")) { texts(AccountText.title) }
                a(.href("/me/language")) { texts(LanguageText.title) }
                postForm(visit, "/sign-out") {
                    button(.type("submit")) { texts(CommonText.signOut) }
                }
            }
        }
    }
}

extension View {
    fileprivate var mainClass: String {
        layout == .narrow ? "main narrow" : isAcross ? "main across" : "main"
    }
}
