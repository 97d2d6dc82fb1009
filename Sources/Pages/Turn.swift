import HTTPServer
import HTTPWire
import JSONBytes

/// The way of one request through its page: who asks, whether a form may be taken, what the page answers, and the
/// headers around it.
struct Turn: Sendable {
    var visit: Visit
    let path: String
    let renewals: Renewals
    /// What ties forms to a browser in which nobody is signed in, and whether the browser has it already.
    let visitSecret: (value: String, isKnown: Bool)
    /// What seals the text of forms, if the browser does not have it yet.
    let newTypedSecret: String?
    /// The key of the notice that the last page left.
    let notice: String?
    var cookies: [ResponseField] = []
    /// What was typed into the form that was sent.
    private(set) var typed: Typed?
    /// What the form carries on that was typed elsewhere.
    private(set) var carried: Typed?
    /// Whether the form's token is good: it was made in this session.
    private(set) var isAccepted = false

    init(
        visit: Visit, path: String, renewals: Renewals,
        visitSecret: (value: String, isKnown: Bool), newTypedSecret: String?, notice: String?
    ) {
        self.visit = visit
        self.path = path
        self.renewals = renewals
        self.visitSecret = visitSecret
        self.newTypedSecret = newTypedSecret
        self.notice = notice
    }

    private var http: HTTPRequest { visit.request }

    mutating func answer(_ page: Page) async -> HTTPResponse {
        do {
            var form = Form.none
            if page.method == .post {
                form = try await page.takesFile ? Form.withFile(http) : readForm()
                if let shown = page.shownToOthers, !form.has(FormKey.field) {
                    return await response(.redirect(shown(form)))
                }
                guard comesFromHere(http) else {
                    return await response(.view(ErrorPage.outdatedForm(visit)))
                }
                receive(form, page)
                guard isAccepted, page.path != TypedPage.path else {
                    return try await answerOutdated(page, form)
                }
            }
            if visit.session != nil { try await greet(page) }
            if visit.person == nil, page.audience != .anyone {
                // A script cannot sign in, and takes no page for an answer.
                return page.isForScripts ? HTTPResponse(status: 403) : await toSignIn()
            }
            let answer = try await answer(page, to: form)
            if let goesOn = try await answerCarried(page, answer) { return goesOn }
            return await response(answer)
        } catch {
            return await failed(error)
        }
    }

    /// Reads what the form says about itself and what it carries, before anything can fail.
    private mutating func receive(_ form: Form, _ page: Page) {
        isAccepted = visit.formKey.accepts(form[FormKey.field])
        typed = Typed(form, to: visit, takesFile: page.takesFile)
        carried = Typed(carriedBy: form, with: visit.typedKey)
        if carried != nil { visit.carried = form[Typed.field] }
        if isAccepted { visit.typist = typed?.personID }
    }

    /// Asks who is signed in and keeps the session alive. Where it has ended, nobody is.
    mutating func greet(_ page: Page) async throws {
        guard let session = visit.session else { return }
        let api = visit.api
        async let me = api.get("/v1/me")
        // An open page that updates itself is not a person who uses it.
        let isUse = !page.isForScripts && http.headers["homeroom-refresh"] == nil
        if isUse, renewals.isDue(session, now: visit.now) {
            // A session that cannot be renewed lasts as long as it lasts.
            let renewal = try? await api.post("/v1/me/session/renewal", [:])
            if let seconds = renewal?["expiresIn"]?.int64 {
                cookies.append(session.cookie(isSecure: http.isSecure, seconds: Int(seconds)))
            }
        }
        do {
            visit.person = Person(try await me)
        } catch let refusal as Refusal where refusal.status == 401 {
            cookies = [Cookie.session.clear(isSecure: http.isSecure)]
            visit.forgetSession(secret: visitSecret.value)
        } catch let refusal as Refusal where refusal.code == "password_must_change" {
            // The page for the new password is for anyone, because until then nobody is signed in fully.
            guard page.audience == .anyone else { throw refusal }
        }
    }

    private func readForm() async throws -> Form {
        let type = http.headers["content-type"]?.split(separator: ";").first?.trimmed.lowercased()
        guard type == "application/x-www-form-urlencoded" else { return .none }
        let bytes = try await http.body.collect(upTo: Self.formLimit)
        return Form(items: HTTPWire.Form.items(bytes) ?? [])
    }

    private static let formLimit = 1_048_576

    /// The sign-in page, which leads back to a page that was to be looked at.
    mutating func toSignIn() async -> HTTPResponse {
        if let door = await doorWithTyped() { return door }
        let isLooking = http.method == .get || http.method == .head
        let page = isLooking ? visit.address : visit.referringPage ?? "/"
        let back = page == "/" ? nil : page.text
        return await response(.redirect(LocalPath("/sign-in").with("to", back)))
    }

    private mutating func failed(_ error: any Error) async -> HTTPResponse {
        if let refusal = error as? HTTPRefusal {
            return await response(.view(ErrorPage.refused(refusal.status, nil, visit)))
        }
        guard let refusal = error as? Refusal else {
            let failure = ErrorPage.failure(500, http.requestID, visit)
            return await response(.view(withTyped(failure)))
        }
        if refusal.status == 401 {
            cookies = [Cookie.session.clear(isSecure: http.isSecure)]
            visit.forgetSession(secret: visitSecret.value)
            return await toSignIn()
        }
        if refusal.code == "password_must_change" {
            if let sealed = (typed ?? carried)?.sealed(with: visit.typedKey) {
                visit.carried = sealed
                return await response(.view(NewPassword.view(visit, to: "/").refused(403)))
            }
            return await response(.redirect(LocalPath(own: NewPassword.path)))
        }
        return await response(.view(withTyped(ErrorPage.view(refusal, visit))))
    }

    // MARK: The answer

    func response(_ answer: Answer) async -> HTTPResponse {
        switch answer {
        case .response(let response): return with(cookies, response)
        case .redirect(let path, let notice, let headers):
            var fields = cookies + headers + [ResponseField("Location", path.text)]
            if let notice {
                fields.append(
                    Cookie.notice.set(notice.key, isSecure: http.isSecure, seconds: 60))
            }
            return with(fields + Self.privacy, HTTPResponse(status: 303))
        case .entered(let entry):
            let fields = entry.fields(isSecure: http.isSecure)
            return await response(.redirect(entry.next, headers: fields))
        case .view(let view): return await response(view)
        case .waiting(let waiting): return await response(waiting)
        }
    }

    private func response(_ view: View) async -> HTTPResponse {
        HTTPResponse(
            status: view.status, type: "text/html; charset=utf-8", bytes: await document(view),
            headers: fields(view)
        ).compressed(for: http)
    }

    /// Sent as its pieces come, also by proxies.
    private func response(_ waiting: Waiting) async -> HTTPResponse {
        let view = waiting.view(visit)
        let document = await document(view)
        let streaming = [
            ResponseField("Content-Type", "text/html; charset=utf-8"),
            ResponseField("X-Accel-Buffering", "no"),
        ]
        return HTTPResponse(
            status: view.status, headers: streaming + fields(view),
            body: .stream(length: nil) { [visit] writer in
                try await waiting.send(document, visit, to: writer)
            })
    }

    private func document(_ view: View) async -> [UInt8] {
        let isFull = view.layout == .full && visit.person != nil
        let side = isFull ? await Side(visit) : nil
        let message = notice.flatMap(visit.texts.notice)
        return Frame(visit: visit, path: path).document(view, side: side, notice: message)
    }

    private func fields(_ view: View) -> [ResponseField] {
        var fields = view.headers + cookies + Self.privacy
        if visit.session == nil, !visitSecret.isKnown {
            fields.append(Cookie.visit.set(visitSecret.value, isSecure: http.isSecure))
        }
        if let newTypedSecret {
            fields.append(Cookie.typed.set(newTypedSecret, isSecure: http.isSecure))
        }
        if notice != nil { fields.append(Cookie.notice.clear(isSecure: http.isSecure)) }
        let targets = (["'self'"] + view.formTargets).joined(separator: " ")
        fields.append(ResponseField("Content-Security-Policy", Self.policy + targets))
        return fields
    }

    private func with(_ fields: [ResponseField], _ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers += fields
        return response
    }

    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; "
        + "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action "

    private static let privacy = [
        ResponseField("Cache-Control", "no-store"), ResponseField("X-Frame-Options", "DENY"),
        ResponseField("Referrer-Policy", "same-origin"),
        ResponseField("X-Content-Type-Options", "nosniff"),
    ]
}
