import Crypto
import HTTPServer
import HTTPWire
import JSONBytes

enum SignInText: String, TextKey {
    case title, managedID, hint, password, shared, sharedHint, button, help
    case helpWithout, administrators, administratorsHint
    case errorTitle, errorWrong, errorEnding, errorManagedID, errorPassword
    case noticeSignedOut

    static let section = "signIn"
}

/// `/sign-in`: managed ID and password.
enum SignIn: Screen {
    static var pages: [Page] {
        [
            .get("/sign-in", for: .anyone) { visit in
                let back = destination(visit.query("to"))
                if visit.person != nil, visit.query("again") == nil { return .redirect(back) }
                // The QR code of a slip names who signs in.
                let named = visit.query("managedId").map { QueryItem(name: "managedId", value: $0) }
                let form = Form(items: named.map { [$0] } ?? [])
                return .view(view(visit, to: back, await OfferedProviders(visit), form))
            },
            .post("/sign-in", for: .anyone) { form, visit in
                try await WaitingRoom.answer(visit, to: destination(form["to"])) {
                    try await take(form, visit)
                }
            },
        ]
    }

    /// The page for a person who is signed in and has to give the password all the same.
    static let again: LocalPath = "/sign-in?again=yes"

    /// Where to go on; the start page unless the text surely leads to a page here.
    static func destination(_ text: String?) -> LocalPath {
        text.flatMap(LocalPath.init(returning:)) ?? "/"
    }

    private static func take(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let back = destination(form["to"])
        var problems = FormProblems.none
        if form["managedId"].isEmpty { problems.add("managedId", texts(SignInText.errorManagedID)) }
        if form["password"].isEmpty { problems.add("password", texts(SignInText.errorPassword)) }
        /// The form again, with what is wrong.
        func refused(_ status: Int = 422, headers: [ResponseField] = []) async -> Answer {
            let offered = await OfferedProviders(visit, of: form["managedId"].nilIfEmpty)
            return .view(
                view(visit, to: back, offered, form, problems).refused(status, headers: headers))
        }
        guard problems.isEmpty else { return await refused() }
        do {
            return try await signIn(form, visit, back)
        } catch let refusal as Refusal where refusal.status == 401 || refusal.status == 422 {
            let isEnding = refusal.code == "organization_ending"
            problems.add(
                "managedId", texts(isEnding ? SignInText.errorEnding : SignInText.errorWrong))
            return await refused()
        } catch let refusal as Refusal where refusal.status == 429 {
            let wait = texts(ErrorText.tooManyTitle) + " " + ErrorPage.wait(refusal, texts)
            problems.add("managedId", wait)
            let seconds = refusal.retryAfter ?? 60
            return await refused(429, headers: [ResponseField("Retry-After", "\(seconds)")])
        } catch let refusal as Refusal where refusal.code == "sign_in_busy" {
            problems.add(
                "managedId", texts(WaitingText.why) + " " + ErrorPage.wait(refusal, texts))
            return await refused(503, headers: refusal.waiting)
        }
    }

    /// How long the service knows a browser, from each sign-in.
    private static let daysKnown = 180

    private static func signIn(
        _ form: Form, _ visit: Visit, _ back: LocalPath
    ) async throws -> Answer {
        visit.waitForHashing()
        let isShared = form.has("shared")
        var browser: JSONObject = JSONObject([("shared", .bool(isShared))])
        if let agent = visit.userAgent { browser["userAgent"] = .text(String(agent.prefix(400))) }
        let device = Cookies(visit.request.headers)[.device, isSecure: visit.isSecure]
        let secret = device.flatMap { $0.utf8.count == 43 ? $0 : nil } ?? SecureRandom.token()
        browser["secret"] = .text(secret)
        let answer = try await visit.api.post(
            "/v1/sign-in",
            [
                "managedId": .text(form["managedId"]), "password": .text(form["password"]),
                "browser": .object(browser),
            ])
        let cookie = Cookie.device.set(
            secret, isSecure: visit.isSecure, seconds: daysKnown * 86_400)
        return await enter(answer, isKept: !isShared, back, visit, headers: [cookie])
    }

    /// Goes on as the person whom the API has signed in.
    ///
    /// - Parameter answer: of the call that signed in.
    static func enter(
        _ answer: JSONValue, isKept: Bool, _ back: LocalPath, _ visit: Visit,
        headers: [ResponseField] = []
    ) async -> Answer {
        // The browser's former session would stay open, and no one could end it from here.
        if visit.session != nil { _ = try? await visit.api.post("/v1/sign-out") }
        let session = Session(token: answer["accessToken"]?.text ?? "", isKept: isKept)
        let seconds = Int(answer["expiresIn"]?.int64 ?? 3600)
        let mustChange = answer["mustChangePassword"]?.bool == true
        let next =
            mustChange
            ? NewPassword.address.with("to", back == "/" ? nil : back.text) : back
        return .entered(
            Entry(
                session: session, seconds: seconds, next: next,
                headers: [Cookie.visit.clear(isSecure: visit.isSecure)] + headers))
    }

    /// The page for a person whose form could not be taken because nobody is signed in any more.
    ///
    /// - Parameter visit: carries what was typed.
    static func door(_ visit: Visit, to back: LocalPath) async -> View {
        view(visit, to: back, await OfferedProviders(visit)).refused(403)
    }

    private static func view(
        _ visit: Visit, to back: LocalPath, _ offered: OfferedProviders, _ form: Form = .none,
        _ problems: FormProblems = .none
    ) -> View {
        let texts = visit.texts
        let title = texts(SignInText.title)
        var view = View(
            problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title]), .narrow
        ) {
            div(.class("stack")) {
                h1 { title }
                if visit.carried != nil { TypedForm.promise(texts) }
                problems.summary(texts(SignInText.errorTitle))
                if offered.isWithoutPasswords {
                    offered.buttons(texts, to: back)
                    forAdministrators(visit, to: back, form, problems)
                } else {
                    postForm(visit, "/sign-in", .class("card")) {
                        controls(visit, to: back, form, problems)
                    }
                    offered.links(texts, to: back)
                }
                if visit.carried != nil { TypedForm.elsewhere(visit) }
                DemonstrationDoor.card(visit, to: back)
                p(.class("soft")) {
                    texts(offered.isWithoutPasswords ? SignInText.helpWithout : .help)
                }
                p { a(.href(LanguageChoice.address(from: visit))) { texts(LanguageText.title) } }
            }
        }
        view.formTargets = AuthorizationRequest.formTargets(to: back)
        return view
    }

    /// The form in a school without passwords, where a provider's outage must not lock everybody out.
    private static func forAdministrators(
        _ visit: Visit, to back: LocalPath, _ form: Form, _ problems: FormProblems
    ) -> HTML {
        details(.class("fold"), Attribute("open", if: !problems.isEmpty)) {
            summary { visit.texts(SignInText.administrators) }
            p(.class("soft")) { visit.texts(SignInText.administratorsHint) }
            postForm(visit, "/sign-in", .class("card")) {
                controls(visit, to: back, form, problems)
            }
        }
    }

    @HTMLBuilder
    private static func controls(
        _ visit: Visit, to back: LocalPath, _ form: Form, _ problems: FormProblems
    ) -> [HTML] {
        fields(visit.texts, form, problems)
        button(.class("button button-main button-wide"), .type("submit")) {
            visit.texts(SignInText.button)
        }
        if back != "/" { input(.type("hidden"), .name("to"), .value(back.text)) }
        TypedForm.carrying(visit)
    }

    @HTMLBuilder
    private static func fields(
        _ texts: Texts, _ form: Form, _ problems: FormProblems
    ) -> [HTML] {
        field(
            "managedId", label: texts(SignInText.managedID), hint: texts(SignInText.hint),
            problem: problems["managedId"], .type("text"), Attribute("inputmode", "email"),
            .autocomplete("username"), Attribute("autocapitalize", "none"),
            Attribute("spellcheck", "false"), .value(form["managedId"].nilIfEmpty), .required)
        field(
            "password", label: texts(SignInText.password), problem: problems["password"],
            .type("password"), .autocomplete("current-password"), .required)
        label(.class("choice")) {
            input(.type("checkbox"), .name("shared"), .value("yes"), .checked(form.has("shared")))
            span {
                texts(SignInText.shared)
                " "
                span(.class("hint")) { texts(SignInText.sharedHint) }
            }
        }
    }
}

extension Visit {
    /// Gives the page more time than its call needs, in which a password's turn comes to be hashed.
    func waitForHashing() { request.setDeadline(secondsFromNow: 610) }
}
