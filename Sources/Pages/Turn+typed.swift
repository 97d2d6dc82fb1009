import HTTPServer
import HTTPWire

/// Nothing that was typed is lost: a form that could not be taken is shown again, to the person who sent it.
///
/// - The token of the form says what it asks for and for whom it was made, sealed for this browser. A form that another
///   site made says nothing that opens, so no page ever shows it, filled in and ready to be sent.
/// - Where the person has to sign in first, what was typed goes along sealed, and is shown only if the same person
///   comes back. It is kept nowhere else.
extension Turn {
    /// The answer to a form whose token is no longer good: the session has ended, or another one has begun.
    mutating func answerOutdated(_ page: Page, _ form: Form) async throws -> HTTPResponse {
        guard let typed = typed ?? carried else {
            // Without fields nothing is lost; the page is there again after the sign-in.
            if visit.session == nil, page.audience != .anyone { return await toSignIn() }
            return await response(.view(ErrorPage.outdatedForm(visit)))
        }
        if visit.session != nil { try await greet(page) }
        if visit.session == nil, !typed.personID.isEmpty { return await toSignIn() }
        guard typed.isBy(visit.person) else {
            return await response(.view(ErrorPage.ofAnother(visit)))
        }
        if self.typed == nil { return await response(.view(TypedForm.afterSignIn(typed, visit))) }
        return await response(.view(TypedForm.outdated(typed, visit)))
    }

    /// The answer to a form of a door that carries what was typed elsewhere; `nil` if it leads no further.
    mutating func answerCarried(_ page: Page, _ answer: Answer) async throws -> HTTPResponse? {
        guard let carried else { return nil }
        switch answer {
        case .entered(let entry):
            cookies += entry.fields(isSecure: visit.isSecure)
            visit.enter(entry.session)
        case .redirect where page.path == NewPassword.path:
            guard visit.session != nil else { return await toSignIn() }
        default: return nil
        }
        try await greet(page)
        guard visit.session != nil else { return await toSignIn() }
        // The password has to be changed first.
        guard visit.person != nil else {
            return await response(.view(NewPassword.view(visit, to: carried.page)))
        }
        guard carried.isBy(visit.person) else {
            // The page on which it was typed may not be this person's.
            return await response(.redirect("/", notice: Notice(TypedText.noticeOther)))
        }
        return await response(.view(TypedForm.afterSignIn(carried, visit)))
    }

    /// The sign-in page with what was typed; `nil` if nothing was, or it is too long to be carried.
    mutating func doorWithTyped() async -> HTTPResponse? {
        guard let typed = typed ?? carried, let sealed = typed.sealed(with: visit.typedKey) else {
            return nil
        }
        visit.carried = sealed
        return await response(.view(await SignIn.door(visit, to: typed.page)))
    }

    /// The same page with what was typed: in the form if it is sure whose it is, else sealed.
    mutating func withTyped(_ view: View) -> View {
        if let typed, isAccepted { return view.followed(by: TypedForm.section(typed, visit)) }
        guard let typed = typed ?? carried, let sealed = typed.sealed(with: visit.typedKey) else {
            return view
        }
        visit.carried = sealed
        return view.followed(by: TypedForm.sealedAgain(visit))
    }
}

extension Entry {
    /// The fields of the answer with which the session begins.
    func fields(isSecure: Bool) -> [ResponseField] {
        [session.cookie(isSecure: isSecure, seconds: seconds)] + headers
    }
}
