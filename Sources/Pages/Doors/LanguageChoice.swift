enum LanguageText: String, TextKey {
    case title, legend, button
    case noticeChanged

    static let section = "language"
}

/// `/me/language`: in which language the pages speak, in this browser.
enum LanguageChoice: Screen {
    static var pages: [Page] {
        [
            .get("/me/language", for: .anyone) { visit in
                .view(view(visit, to: SignIn.destination(visit.query("to"))))
            },
            .post("/me/language", for: .anyone) { form, visit in
                let back = SignIn.destination(form["to"])
                guard let language = Language(rawValue: form["language"]) else {
                    return .view(view(visit, to: back).refused())
                }
                return .redirect(
                    back, notice: Notice(LanguageText.noticeChanged),
                    headers: [
                        Cookie.language.set(
                            language.rawValue, isSecure: visit.isSecure,
                            seconds: secondsOfAYear)
                    ])
            },
        ]
    }

    private static let secondsOfAYear = 31_536_000

    /// The page, with the way back to where the visitor is.
    static func address(from visit: Visit) -> LocalPath {
        LocalPath("/me/language").with("to", visit.address.text)
    }

    private static func view(_ visit: Visit, to back: LocalPath) -> View {
        let texts = visit.texts
        var view = View(texts(LanguageText.title), visit.person == nil ? .narrow : .full) {
            div(.class("stack reading")) {
                h1 { texts(LanguageText.title) }
                postForm(visit, "/me/language", .class("card")) {
                    input(.type("hidden"), .name("to"), .value(back.text))
                    fieldset {
                        legend { texts(LanguageText.legend) }
                        for language in Language.allCases {
                            label(.class("choice")) {
                                input(
                                    .type("radio"), .name("language"), .value(language.rawValue),
                                    .checked(language == texts.language))
                                span(.lang(language.rawValue)) { language.ownName }
                            }
                        }
                    }
                    button(.class("button button-main"), .type("submit")) {
                        texts(LanguageText.button)
                    }
                }
            }
        }
        view.formTargets = AuthorizationRequest.formTargets(to: back)
        return view
    }
}
