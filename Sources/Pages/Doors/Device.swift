import JSONBytes
import Values

enum DeviceText: String, TextKey {
    case title, code, hint, button, warning, shownSince, codeIs
    case errorTitle, errorCode
    case doneTitle, done, refusedTitle, refused

    static let section = "device"
}

/// `/device`: connects an app on a device without a browser, by the code that it shows (RFC 8628).
enum Device: Screen {
    static var pages: [Page] {
        [
            .get("/device", for: .person) { visit in
                .view(view(visit, code: visit.query("user_code") ?? ""))
            },
            .post("/device", for: .person, check),
            .post("/device/decision", for: .person, decide),
        ]
    }

    private static func check(_ form: Form, _ visit: Visit) async throws -> Answer {
        try await explaining(form, visit) { code in
            let check = try await visit.api.post(
                "/v1/me/device-codes/check", ["userCode": .text(code)])
            return .view(question(Consent.App(check), check, code, visit))
        }
    }

    private static func decide(_ form: Form, _ visit: Visit) async throws -> Answer {
        try await explaining(form, visit) { code in
            let isAllowed = form["do"] == "allow"
            let body: JSONValue = ["userCode": .text(code)]
            if isAllowed {
                try await visit.api.post("/v1/me/device-codes/approval", body)
            } else {
                try await visit.api.post("/v1/me/device-codes/refusal", body)
            }
            return .view(outcome(isAllowed, visit))
        }
    }

    /// Says at the field what is wrong with the code.
    private static func explaining(
        _ form: Form, _ visit: Visit, _ body: (String) async throws -> Answer
    ) async throws -> Answer {
        let texts = visit.texts
        let code = form["code"].filter { $0.isLetter || $0.isNumber }.uppercased()
        var problems = FormProblems.none
        do {
            return try await body(code)
        } catch let refusal as Refusal where [404, 409, 410, 422].contains(refusal.status) {
            problems.add("code", texts(DeviceText.errorCode))
            return .view(view(visit, code: form["code"], problems).refused())
        } catch let refusal as Refusal where refusal.status == 429 {
            problems.add(
                "code", texts(ErrorText.tooManyTitle) + " " + ErrorPage.wait(refusal, texts))
            return .view(view(visit, code: form["code"], problems).refused(refusal))
        }
    }

    private static func view(
        _ visit: Visit, code: String, _ problems: FormProblems = .none
    ) -> View {
        let texts = visit.texts
        let title = texts(DeviceText.title)
        return View(
            problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title]), .narrow
        ) {
            div(.class("stack")) {
                h1 { title }
                Consent.forWhom(visit)
                problems.summary(texts(DeviceText.errorTitle))
                postForm(visit, "/device", .class("card")) {
                    field(
                        "code", label: texts(DeviceText.code), hint: texts(DeviceText.hint),
                        problem: problems["code"], style: "input input-code", .type("text"),
                        .autocomplete("one-time-code"),
                        Attribute("autocapitalize", "characters"),
                        Attribute("spellcheck", "false"), Attribute("maxlength", "12"),
                        .value(code.nilIfEmpty), .required)
                    button(.class("button button-main button-wide"), .type("submit")) {
                        texts(DeviceText.button)
                    }
                }
                notice(.warn, .warn) { p { texts.html(DeviceText.warning) } }
            }
        }
    }

    private static func question(
        _ app: Consent.App, _ check: JSONValue, _ userCode: String, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(ConsentText.title, ["app": app.name])
        return View(title, .narrow) {
            div(.class("stack")) {
                h1 { texts.html(ConsentText.title, ["app": written(app.name)]) }
                Consent.forWhom(visit)
                app.description(texts)
                notice(.warn, .warn) { p { texts.html(DeviceText.warning) } }
                postForm(visit, "/device/decision", .class("row")) {
                    input(.type("hidden"), .name("code"), .value(userCode))
                    button(.class("button button-main"), .name("do"), .value("allow")) {
                        texts(ConsentText.allow)
                    }
                    button(.class("button"), .name("do"), .value("refuse")) {
                        texts(ConsentText.refuse)
                    }
                }
                p(.class("small soft")) {
                    texts.html(
                        DeviceText.codeIs,
                        ["code": code { "\(userCode.prefix(4))-\(userCode.dropFirst(4))" }])
                    if let asked = check["requestedAt"]?.text.flatMap({ Timestamp($0) }) {
                        " "
                        texts(DeviceText.shownSince, ["when": visit.moment(asked)])
                    }
                }
            }
        }
    }

    private static func outcome(_ isAllowed: Bool, _ visit: Visit) -> View {
        let texts = visit.texts
        let title = texts(isAllowed ? DeviceText.doneTitle : .refusedTitle)
        return View(title, .narrow) {
            div(.class("stack")) {
                h1 { title }
                p { texts(isAllowed ? DeviceText.done : .refused) }
            }
        }
    }
}
