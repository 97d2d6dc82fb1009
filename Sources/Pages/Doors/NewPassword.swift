import JSONBytes

enum PasswordText: String, TextKey {
    case title, temporary, current, new, newHint, button
    case errorTitle, errorCurrent, errorNew, errorWrong, errorSame, errorWeak, errorWithout
    case noticeChanged

    static let section = "password"
}

/// `/me/password`: a new password; asked for after signing in with a temporary one.
enum NewPassword: Screen {
    static let path = "/me/password"
    static let address: LocalPath = "/me/password"

    /// For anyone: while the password must be changed, the API does not say who is signed in.
    static var pages: [Page] {
        [
            .get(path, for: .anyone) { visit in
                guard visit.session != nil else { return .redirect("/sign-in") }
                return .view(view(visit, to: SignIn.destination(visit.query("to"))))
            },
            .post(path, for: .anyone) { form, visit in
                try await WaitingRoom.answer(visit, to: SignIn.destination(form["to"])) {
                    try await take(form, visit)
                }
            },
        ]
    }

    private static func take(_ form: Form, _ visit: Visit) async throws -> Answer {
        guard visit.session != nil else { return .redirect("/sign-in") }
        let texts = visit.texts
        let back = SignIn.destination(form["to"])
        var problems = FormProblems.none
        if form["password"].isEmpty { problems.add("password", texts(PasswordText.errorCurrent)) }
        if form["newPassword"].isEmpty { problems.add("newPassword", texts(PasswordText.errorNew)) }
        guard problems.isEmpty else { return .view(view(visit, to: back, problems).refused()) }
        visit.waitForHashing()
        do {
            try await visit.api.put(
                "/v1/me/password",
                [
                    "password": .text(form["password"]),
                    "newPassword": .text(form["newPassword"]),
                ])
        } catch let refusal as Refusal where refusal.status == 422 {
            problems = explained(refusal, texts)
            return .view(view(visit, to: back, problems).refused())
        } catch let refusal as Refusal where refusal.code == "without_passwords" {
            problems.add("password", texts(PasswordText.errorWithout))
            return .view(view(visit, to: back, problems).refused(refusal))
        }
        return .redirect(back, notice: Notice(PasswordText.noticeChanged))
    }

    private static func explained(_ refusal: Refusal, _ texts: Texts) -> FormProblems {
        var problems = FormProblems.none
        if refusal.fields["/password"] != nil {
            problems.add("password", texts(PasswordText.errorWrong))
        }
        if let code = refusal.fields["/newPassword"] {
            let key: PasswordText = code == "same_password" ? .errorSame : .errorWeak
            problems.add("newPassword", texts(key))
        }
        if problems.isEmpty { problems.add("newPassword", texts(PasswordText.errorWeak)) }
        return problems
    }

    static func view(
        _ visit: Visit, to back: LocalPath, _ problems: FormProblems = .none
    ) -> View {
        let texts = visit.texts
        let title = texts(PasswordText.title)
        let isForced = visit.person == nil
        var view = View(
            problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title]), .narrow
        ) {
            div(.class("stack")) {
                h1 { title }
                if isForced { p(.class("soft")) { texts(PasswordText.temporary) } }
                problems.summary(texts(PasswordText.errorTitle))
                postForm(visit, address, .class("card")) {
                    field(
                        "password", label: texts(PasswordText.current),
                        problem: problems["password"], .type("password"),
                        .autocomplete("current-password"), .required)
                    field(
                        "newPassword", label: texts(PasswordText.new),
                        hint: texts(PasswordText.newHint), problem: problems["newPassword"],
                        .type("password"), .autocomplete("new-password"), .required)
                    button(.class("button button-main button-wide"), .type("submit")) {
                        texts(PasswordText.button)
                    }
                    if back != "/" { input(.type("hidden"), .name("to"), .value(back.text)) }
                    TypedForm.carrying(visit)
                }
                if isForced {
                    postForm(visit, "/sign-out") {
                        button(.class("button button-plain"), .type("submit")) {
                            texts(CommonText.signOut)
                        }
                    }
                }
            }
        }
        view.formTargets = AuthorizationRequest.formTargets(to: back)
        return view
    }
}
