import HTTPWire

/// What a page says if the API refuses a call, in plain words.
enum ErrorPage {
    static func view(_ refusal: Refusal, _ visit: Visit) -> View {
        let texts = visit.texts
        switch refusal.status {
        case 403 where refusal.code == "signed_in_by_badge": return byBadge(visit)
        case 403, 404: return absent(visit, status: refusal.status)
        case 429:
            return view(texts(ErrorText.tooManyTitle), 429, visit, headers: refusal.waiting) {
                p { wait(refusal, texts) }
            }
        case 500...:
            return failure(
                refusal.status, refusal.requestID, visit, headers: refusal.waiting,
                wait: refusal.retryAfter == nil ? nil : wait(refusal, texts))
        default:
            return refused(refusal.status, refusal.detail, visit)
        }
    }

    /// What is asked for is not there, or not for this person.
    static func absent(_ visit: Visit, status: Int = 404) -> View {
        view(visit.texts(ErrorText.absentTitle), status, visit) {
            p { visit.texts(ErrorText.absent) }
        }
    }

    /// Who signed in with a badge asks for what only the password opens.
    private static func byBadge(_ visit: Visit) -> View {
        view(visit.texts(ErrorText.absentTitle), 403, visit) {
            p { visit.texts(AccountText.byBadge) }
        }
    }

    /// Something else is wrong with what was sent.
    ///
    /// - Parameter detail: what the API says about it, in English.
    static func refused(_ status: Int, _ detail: String?, _ visit: Visit) -> View {
        let texts = visit.texts
        if status == 413 {
            return view(texts(ErrorText.tooLargeTitle), status, visit) {
                p { texts(ErrorText.tooLarge) }
            }
        }
        return view(texts(ErrorText.refusedTitle), status, visit) {
            p { texts(ErrorText.refused) }
            if let detail { p(.class("soft"), .lang("en")) { detail } }
        }
    }

    /// The server or its database failed.
    ///
    /// - Parameter wait: when to try again, if the API says so.
    static func failure(
        _ status: Int, _ requestID: String, _ visit: Visit, headers: [ResponseField] = [],
        wait: String? = nil
    ) -> View {
        let texts = visit.texts
        return view(texts(ErrorText.failureTitle), status, visit, headers: headers) {
            p { wait ?? texts(ErrorText.failure) }
            p(.class("soft")) {
                texts.html(ErrorText.failureNumber, ["number": code { requestID }])
            }
        }
    }

    /// The form's token is missing, outdated or not this browser's.
    static func outdatedForm(_ visit: Visit) -> View {
        let texts = visit.texts
        return view(texts(ErrorText.outdatedTitle), 403, visit) {
            p { texts(ErrorText.outdated) }
        }
    }

    /// The form was made for another person than the one who is signed in. What is in it is not shown.
    static func ofAnother(_ visit: Visit) -> View {
        view(visit.texts(TypedText.otherTitle), 403, visit) {
            p { visit.texts(TypedText.other) }
        }
    }

    static func wrongMethod(_ allowed: [HTTPMethod], _ visit: Visit) -> View {
        let texts = visit.texts
        let allow = allowed.map(\.name).joined(separator: ", ")
        return view(
            texts(ErrorText.methodTitle), 405, visit, headers: [ResponseField("Allow", allow)]
        ) {
            p { texts(ErrorText.method) }
        }
    }

    /// `Try again in 2 minutes.`
    static func wait(_ refusal: Refusal, _ texts: Texts) -> String {
        let seconds = refusal.retryAfter ?? 60
        guard seconds >= 60 else { return texts(ErrorText.waitSeconds, count: max(1, seconds)) }
        return texts(ErrorText.waitMinutes, count: (seconds + 59) / 60)
    }

    private static func view(
        _ title: String, _ status: Int, _ visit: Visit, headers: [ResponseField] = [],
        @HTMLBuilder content: () -> [HTML]
    ) -> View {
        View(title, visit.person == nil ? .narrow : .full) {
            h1 { title }
            div(.class("stack reading")) { HTML.parts(content()) }
            p { a(.href("/")) { visit.texts(ErrorText.home) } }
        }.refused(status, headers: headers)
    }
}
