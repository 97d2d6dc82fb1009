import HTTPWire
import JSONBytes

enum ActionText: String, TextKey {
    case edit
    case publishTitle, publishText, publishButton, changeTime, whenLegend, whenHint, date, time
    case publishNow, publishNowFor, schedule, scheduleFor, anyway
    case differsTitle, differs, duePastTitle, duePast, dueBeforeTitle, dueBefore, changeDue
    case publishTasks, publishEveryone, publishChosen
    case lockTitle, lockText, lockButton, unlockTitle, unlockText, unlockButton
    case completeTitle, completeText, completeButton
    case archiveTitle, archiveText, archiveButton, unarchiveTitle, unarchiveText, unarchiveButton
    case unscheduleTitle, unscheduleText, unscheduleButton, unpublishText
    case deleteTitle, deleteText, deleteDraftText, deleteButton
    case copyTitle, copyText, copyButton, copyClass, copyName
    case errorsTitle, errorMoment, errorPast, errorClass, errorName
    case noticePublished, noticeScheduled, noticeLocked, noticeUnlocked, noticeCompleted
    case noticeArchived, noticeUnarchived, noticeUnscheduled, noticeDeleted, noticeCopied

    static let section = "action"
}

/// What a teacher does to a whole handout: a menu, and for each entry a page that says what will happen.
enum HandoutActions: Screen {
    /// What needs no more than a yes. The raw value ends the path.
    enum Kind: String, CaseIterable, Sendable {
        case lock, unlock, complete, archive, unarchive, unschedule, unpublish, delete
    }

    static var pages: [Page] {
        Kind.allCases.flatMap { kind -> [Page] in
            let path = "/handouts/{id}/\(kind.rawValue)"
            return [
                .get(path, for: .teacher) { visit in
                    let handout = try await EditedHandout.load(visit["id"], visit.api)
                    return .view(question(kind, handout, visit))
                },
                .post(path, for: .teacher) { form, visit in try await act(kind, form, visit) },
            ]
        }
    }

    // MARK: The menu

    /// What can be done to a handout in its state, for pages that show it.
    static func menu(_ handout: Handout, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let back = visit.address.text
        return details(.class("menu no-print")) {
            summary(.class("button")) {
                texts(TeachingText.more)
                span(.class("unseen"), .dirAuto) { handout.title }
                Icon.downSmall.html
            }
            div(.class("menu-body")) {
                if handout.state != .completed, handout.state != .archived {
                    entry("/handouts/\(handout.id)/edit", .edit, texts)
                }
                if handout.state == .draft {
                    entry("/handouts/\(handout.id)/publish", .publishButton, texts)
                }
                if handout.state == .scheduled {
                    entry("/handouts/\(handout.id)/publish", .changeTime, texts)
                }
                entry("/handouts/\(handout.id)/copy", .copyButton, texts)
                for kind in kinds(handout, visit) {
                    entry(
                        LocalPath(own: "/handouts/\(handout.id)/\(kind.rawValue)")
                            .with("to", back), kind.button, texts)
                }
            }
        }
    }

    private static func entry(_ path: LocalPath, _ key: ActionText, _ texts: Texts) -> HTML {
        a(.class("button button-plain"), .href(path)) { texts(key) }
    }

    /// A draft is its author's alone: nobody else makes it one.
    private static func kinds(_ handout: Handout, _ visit: Visit) -> [Kind] {
        let isAuthor = handout.authorID != nil && handout.authorID == visit.person?.id
        // Where the list knows that somebody is done, it is too late.
        let canGoBack = isAuthor && (handout.counts?.done ?? 0) == 0
        let kinds: [Kind] =
            switch handout.state {
            case .draft: []
            case .scheduled: isAuthor ? [.unschedule] : []
            case .published: canGoBack ? [.lock, .unpublish, .complete] : [.lock, .complete]
            case .locked: canGoBack ? [.unlock, .unpublish, .complete] : [.unlock, .complete]
            case .completed: [.archive]
            case .archived: [.unarchive]
            }
        return kinds + [.delete]
    }

    // MARK: Question and answer

    private static func question(
        _ kind: Kind, _ handout: EditedHandout, problem: String? = nil, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let back = visit.query("to").flatMap(LocalPath.init(returning:))
        let title = texts(kind.title)
        return View(title) {
            div {
                crumbs([(back ?? "/classes/\(handout.classID)", handout.summary.title)], texts)
                heading(title, below: written(handout.summary.title))
            }
            if let problem { notice(.bad, .warn) { p { problem } } }
            postForm(visit, visit.address, .class("card reading")) {
                input(.type("hidden"), .name("tag"), .value(handout.tag))
                p { texts(kind.text(handout)) }
                div(.class("row")) {
                    button(
                        .class(kind.isRisk ? "button button-risk" : "button button-main"),
                        .type("submit")
                    ) { texts(kind.button) }
                    a(
                        .class("button button-plain"),
                        .href(back ?? "/classes/\(handout.classID)")
                    ) { texts(TeachingText.cancel) }
                }
            }
        }
    }

    private static func act(_ kind: Kind, _ form: Form, _ visit: Visit) async throws -> Answer {
        let handout = try await EditedHandout.load(visit["id"], visit.api)
        let home = LocalPath("/classes/\(handout.classID)")
        let back = visit.query("to").flatMap(LocalPath.init(returning:)) ?? home
        let call = kind.call(on: handout.id)
        do {
            try await visit.api.send(
                call.method, call.path, headers: [(name: "If-Match", value: form["tag"])])
        } catch let refusal as Refusal where refusal.isForForm {
            // The tag of what is there now: asked once more, the teacher has seen it.
            let problem = TeachingText.sentence(refusal, visit.texts)
            return .view(
                question(kind, handout, problem: problem, visit).refused(refusal))
        }
        return .redirect(kind == .delete ? home : back, notice: Notice(kind.notice))
    }
}

extension HandoutActions.Kind {
    fileprivate typealias Call = (method: HTTPMethod, path: LocalPath)

    fileprivate func call(on id: String) -> Call {
        switch self {
        case .lock: (.put, "/v1/handouts/\(id)/lock")
        case .unlock: (.delete, "/v1/handouts/\(id)/lock")
        case .complete: (.put, "/v1/handouts/\(id)/completion")
        case .archive: (.put, "/v1/handouts/\(id)/archive")
        case .unarchive: (.delete, "/v1/handouts/\(id)/archive")
        case .unschedule, .unpublish: (.delete, "/v1/handouts/\(id)/publication")
        case .delete: (.delete, "/v1/handouts/\(id)")
        }
    }

    /// Whether it cannot be undone.
    fileprivate var isRisk: Bool { self == .complete || self == .delete }

    fileprivate var title: ActionText {
        switch self {
        case .lock: .lockTitle
        case .unlock: .unlockTitle
        case .complete: .completeTitle
        case .archive: .archiveTitle
        case .unarchive: .unarchiveTitle
        case .unschedule, .unpublish: .unscheduleTitle
        case .delete: .deleteTitle
        }
    }

    fileprivate func text(_ handout: EditedHandout) -> ActionText {
        switch self {
        case .lock: .lockText
        case .unlock: .unlockText
        case .complete: .completeText
        case .archive: .archiveText
        case .unarchive: .unarchiveText
        case .unschedule: .unscheduleText
        case .unpublish: .unpublishText
        case .delete: handout.summary.state.isUnseen ? .deleteDraftText : .deleteText
        }
    }

    fileprivate var button: ActionText {
        switch self {
        case .lock: .lockButton
        case .unlock: .unlockButton
        case .complete: .completeButton
        case .archive: .archiveButton
        case .unarchive: .unarchiveButton
        case .unschedule, .unpublish: .unscheduleButton
        case .delete: .deleteButton
        }
    }

    fileprivate var notice: ActionText {
        switch self {
        case .lock: .noticeLocked
        case .unlock: .noticeUnlocked
        case .complete: .noticeCompleted
        case .archive: .noticeArchived
        case .unarchive: .noticeUnarchived
        case .unschedule, .unpublish: .noticeUnscheduled
        case .delete: .noticeDeleted
        }
    }
}

extension Handout.State {
    /// Whether students cannot see it yet.
    fileprivate var isUnseen: Bool { self == .draft || self == .scheduled }
}
