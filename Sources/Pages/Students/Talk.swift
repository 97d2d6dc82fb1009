import HTTPWire
import JSONBytes
import Values

enum TalkText: String, TextKey {
    case title, titleWith, none, by, byYou, aTeacher, removed, new, say, sayHint, sayHintOfStudent
    case send, seen, remove, withNew
    case errorsTitle, errorText, errorLength, errorFull
    case noticeSent, noticeSeen, noticeRemoved

    static let section = "talk"
}

/// What a student and the teachers of the class wrote to each other about a handout, with the form to write: the same on
/// the pages of both.
///
/// Reading marks nothing as read. That is done by the button, or by an answer, and up to the last comment that the page
/// showed: what was written meanwhile stays new.
struct Talk: Sendable {
    struct Comment: Sendable {
        let id: String
        let author: FullName?
        let isOwn: Bool
        let isNew: Bool
        /// `nil` once it is removed.
        let text: String?
        let writtenAt: Timestamp?

        init(_ comment: JSONValue) {
            id = comment["id"]?.text ?? ""
            author = comment["author"].flatMap { FullName($0) }
            isOwn = comment["own"]?.bool ?? false
            isNew = comment["new"]?.bool ?? false
            text = comment["text"]?.text
            writtenAt = comment.moment("createdAt")
        }
    }

    /// Whose conversation it is, and on whose page.
    struct Place: Sendable {
        let handout: String
        let student: String
        let isOwn: Bool

        /// The place of a page's address.
        init(_ visit: Visit, of audience: Audience) {
            handout = visit["id"]
            isOwn = audience == .student
            student = isOwn ? visit.person?.id ?? "" : visit["person"]
        }

        fileprivate static func pattern(for audience: Audience) -> String {
            audience == .student ? "/my-work/{id}" : "/handouts/{id}/students/{person}"
        }

        var page: LocalPath {
            isOwn ? "/my-work/\(handout)" : "/handouts/\(handout)/students/\(student)"
        }

        fileprivate var form: LocalPath {
            isOwn
                ? "/my-work/\(handout)/comments"
                : "/handouts/\(handout)/students/\(student)/comments"
        }

        fileprivate var seenForm: LocalPath {
            isOwn
                ? "/my-work/\(handout)/comments/seen"
                : "/handouts/\(handout)/students/\(student)/comments/seen"
        }

        fileprivate func removalForm(_ id: String) -> LocalPath {
            isOwn
                ? "/my-work/\(handout)/comments/\(id)/removal"
                : "/handouts/\(handout)/students/\(student)/comments/\(id)/removal"
        }

        fileprivate var call: LocalPath {
            "/v1/handouts/\(handout)/students/\(student)/comments"
        }
    }

    let place: Place
    /// The oldest first.
    let comments: [Comment]

    var newCount: Int { comments.count(where: \.isNew) }

    /// `nil` where there is nothing to talk about: the student does not have the handout.
    static func load(_ visit: Visit, of audience: Audience) async throws -> Talk? {
        let place = Place(visit, of: audience)
        do {
            let found = try await Console.all(place.call, visit.api)
            return Talk(place: place, comments: found.map(Comment.init))
        } catch let refusal as Refusal where refusal.status == 404 {
            return nil
        }
    }

    /// The forms of the page that shows a conversation.
    ///
    /// - Parameter again: the page with what was typed and what is wrong with it.
    static func forms(
        for audience: Audience,
        again: @escaping @Sendable (Form, FormProblems, Visit) async throws -> View
    ) -> [Page] {
        let pattern = Place.pattern(for: audience)
        return [
            .post("\(pattern)/comments", for: audience) { form, visit in
                let place = Place(visit, of: audience)
                var problems = FormProblems.none
                if let problem = try await send(form, at: place, visit) {
                    problems.add("say", problem)
                    return .view(try await again(form, problems, visit).refused())
                }
                return .redirect(place.page, notice: Notice(TalkText.noticeSent))
            },
            .post("\(pattern)/comments/seen", for: audience) { form, visit in
                let place = Place(visit, of: audience)
                try await see(form, at: place, visit)
                return .redirect(place.page, notice: Notice(TalkText.noticeSeen))
            },
            .post("\(pattern)/comments/{comment}/removal", for: audience) { _, visit in
                let place = Place(visit, of: audience)
                let id = visit["comment"]
                try await visit.api.delete(
                    "/v1/handouts/\(place.handout)/students/\(place.student)/comments/\(id)")
                return .redirect(place.page, notice: Notice(TalkText.noticeRemoved))
            },
        ]
    }

    /// Who answers has read what the page showed.
    private static func send(
        _ form: Form, at place: Place, _ visit: Visit
    ) async throws -> String? {
        let text = form["say"].replacing("\r\n", with: "\n").trimmedSpace
        guard !text.isEmpty else { return visit.texts(TalkText.errorText) }
        do {
            _ = try await visit.api.post(place.call, ["text": .text(text)])
        } catch let refusal as Refusal where refusal.isForForm {
            return sentence(refusal, visit.texts)
        }
        try await see(form, at: place, visit)
        return nil
    }

    private static func see(_ form: Form, at place: Place, _ visit: Visit) async throws {
        guard let last = form["last"].nilIfEmpty else { return }
        try await visit.api.put(
            "/v1/handouts/\(place.handout)/students/\(place.student)/comments/seen",
            ["commentId": .text(last)])
    }

    private static func sentence(_ refusal: Refusal, _ texts: Texts) -> String {
        if refusal.fields["/text"] != nil { return texts(TalkText.errorLength) }
        if refusal.code == "too_many_comments" { return texts(TalkText.errorFull) }
        return TeachingText.sentence(refusal, texts)
    }
}

// MARK: On a page

extension Talk {
    /// - Parameters:
    ///   - title: between whom it is.
    ///   - hint: who reads what is written.
    func card(
        _ title: HTML, hint: String, _ form: Form? = nil, _ problems: FormProblems = .none,
        _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return section(.class("card"), .labelledBy("talk")) {
            div(.class("row row-apart")) {
                h2(.id("talk")) { title }
                if newCount > 0 { tag(texts(TalkText.new, count: newCount), .info, .info) }
            }
            if comments.isEmpty { p(.class("soft")) { texts(TalkText.none) } } else { list(visit) }
            if newCount > 0 {
                postForm(visit, place.seenForm, .class("no-print")) {
                    last
                    button(.class("button"), .type("submit")) { texts(TalkText.seen) }
                }
            }
            postForm(visit, place.form, .class("stack no-print")) {
                textField(
                    "say", label: texts(TalkText.say), hint: hint, problem: problems["say"],
                    form?["say"] ?? "")
                last
                p { button(.class("button"), .type("submit")) { texts(TalkText.send) } }
            }
        }
    }

    /// What the page shows last.
    private var last: HTML {
        input(.type("hidden"), .name("last"), .value(comments.last?.id ?? ""))
    }

    private func list(_ visit: Visit) -> HTML {
        ol(.class("talk plain")) {
            for comment in comments {
                li(.class(comment.isOwn ? "mine" : "theirs")) {
                    div(.class("row row-apart")) {
                        p(.class("small soft")) { heading(of: comment, visit) }
                        if comment.isOwn, comment.text != nil { remover(of: comment, visit) }
                    }
                    if let text = comment.text {
                        writtenLines(text)
                    } else {
                        p(.class("soft")) { visit.texts(TalkText.removed) }
                    }
                }
            }
        }
    }

    private func heading(of comment: Comment, _ visit: Visit) -> HTML {
        let when = ["when": HTML.text(comment.writtenAt.map(visit.moment) ?? "")]
        guard !comment.isOwn else { return visit.texts.html(TalkText.byYou, when) }
        let name =
            comment.author.map { written($0.text) } ?? .text(visit.texts(TalkText.aTeacher))
        return visit.texts.html(
            TalkText.by, when.merging(["name": name]) { first, _ in first })
    }

    private func remover(of comment: Comment, _ visit: Visit) -> HTML {
        let when = comment.writtenAt.map(visit.moment) ?? ""
        return postForm(visit, place.removalForm(comment.id), .class("no-print")) {
            button(
                .class("button button-plain button-small"), .type("submit"),
                .label("\(visit.texts(TalkText.remove)): \(when)")
            ) { visit.texts(TalkText.remove) }
        }
    }
}
