import JSONBytes
import Values

enum ClassText: String, TextKey {
    case handouts, students, emptyTitle, emptyAdvice
    case show, showActive, apply
    case draft, scheduled, published, locked, completed, archived
    case showDraft, showScheduled, showPublished, showLocked, showCompleted, showArchived
    case due, wasDue, noDue, appears, onlyYou, whenItAppears
    case tasks, noTask, everyone, chosen, publishedOn, lockedOn, completedOn, changedOn
    case older, more, order, orderNewest, orderDue, progress

    static let section = "class"
}

/// `/classes/{id}`: the handouts of one class.
enum ClassOverview: Screen {
    static var pages: [Page] {
        [.show("/classes/{id}", for: .teacher, load: load, render: view)]
    }

    struct Content: Sendable {
        let schoolClass: JSONValue
        let handouts: [Handout]
        let nextPage: String?
        let messages: [ClassMessages.Message]
    }

    private static func load(_ visit: Visit) async throws -> Content {
        let id = visit["id"]
        let list = LocalPath("/v1/handouts?classId=\(id)&limit=60&counts=true")
            .with("state", visit.query("state"))
            .with("order", isByDueTime(visit) ? "due" : nil)
            .with("pageToken", visit.query("page"))
        async let schoolClass = visit.api.get("/v1/classes/\(id)")
        async let page = visit.api.get(list)
        async let messages = ClassMessages.load(id, visit.api)
        return try await Content(
            schoolClass: schoolClass,
            handouts: (page["items"]?.array ?? []).compactMap { Handout($0) },
            nextPage: page["nextPageToken"]?.text, messages: messages)
    }

    private static func isByDueTime(_ visit: Visit) -> Bool { visit.query("order") == "due" }

    private static func view(_ content: Content, _ visit: Visit) -> View {
        let texts = visit.texts
        let item = content.schoolClass
        let name = item["displayName"]?.text ?? item["name"]?.text ?? ""
        return View(name) {
            heading(
                name,
                below: dotted([
                    (item["number"]?.text).map(written) ?? .nothing,
                    .text(
                        texts(ClassText.students, count: item["studentIds"]?.array?.count ?? 0)),
                ])
            ) { ClassLinks.buttons(item, visit) }
            classTabs(visit["id"], name, .handouts, texts)
            ClassMessages.newest(content.messages, of: TaughtClass(item, id: visit["id"]), visit)
            filter(visit)
            if content.handouts.isEmpty {
                emptyBox(texts(ClassText.emptyTitle), texts(ClassText.emptyAdvice))
            } else {
                ul(.class("grid")) {
                    for handout in content.handouts { card(handout, visit) }
                }
            }
            if let next = content.nextPage { more(next, visit) }
        }
    }

    private static func more(_ next: String, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return nav(.class("pages"), .label(texts(ClassText.handouts))) {
            a(
                .class("button"), .rel("next"),
                .href(
                    visit.address.withoutQuery.with("state", visit.query("state"))
                        .with("order", visit.query("order")).with("page", next))
            ) {
                texts(isByDueTime(visit) ? ClassText.more : .older)
                " "
                Icon.next.html
            }
        }
    }

    private static func filter(_ visit: Visit) -> HTML {
        let texts = visit.texts
        let chosen = visit.query("state") ?? ""
        return getForm(
            visit.address.withoutQuery, .class("filter no-print"), .role("search"),
            .label(texts(ClassText.handouts))
        ) {
            div(.class("field")) {
                label(.for("state")) { texts(ClassText.show) }
                selectTag(.class("input"), .id("state"), .name("state")) {
                    option(.value("")) { texts(ClassText.showActive) }
                    for state in Handout.State.allCases {
                        option(.value(state.rawValue), .selected(state.rawValue == chosen)) {
                            texts(state.choice)
                        }
                    }
                }
            }
            div(.class("field")) {
                label(.for("order")) { texts(ClassText.order) }
                selectTag(.class("input"), .id("order"), .name("order")) {
                    option(.value("")) { texts(ClassText.orderNewest) }
                    option(.value("due"), .selected(isByDueTime(visit))) {
                        texts(ClassText.orderDue)
                    }
                }
            }
            button(.class("button"), .type("submit")) { texts(ClassText.apply) }
        }
    }

    private static func card(_ handout: Handout, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return li(.class("card card-link")) {
            div(.class("row row-apart")) {
                tag(texts(handout.state.word), handout.state.icon, handout.state.tone)
                span(.class("small soft")) { due(handout, visit) }
            }
            h2 { a(.class("cover"), .href(address(of: handout)), .dirAuto) { handout.title } }
            p(.class("soft card-gap")) {
                handout.taskCount == 0
                    ? texts(ClassText.noTask) : texts(ClassText.tasks, count: handout.taskCount)
            }
            if handout.isOut, let counts = handout.counts { counts.meter(texts) }
            if handout.state == .draft { p(.class("soft")) { texts(ClassText.onlyYou) } }
            if handout.state == .scheduled { p(.class("soft")) { texts(ClassText.whenItAppears) } }
            p(.class("card-foot small soft")) {
                dotted([.text(history(handout, visit)), .text(recipients(handout, texts))])
            }
            HandoutActions.menu(handout, visit)
        }
    }

    /// Its report, or its form while there is nothing to report.
    private static func address(of handout: Handout) -> LocalPath {
        handout.isOut ? "/handouts/\(handout.id)" : "/handouts/\(handout.id)/edit"
    }

    private static func due(_ handout: Handout, _ visit: Visit) -> String {
        let texts = visit.texts
        guard let due = handout.dueAt else { return texts(ClassText.noDue) }
        return texts(
            due < visit.now ? ClassText.wasDue : .due, ["when": visit.moment(due)])
    }

    private static func history(_ handout: Handout, _ visit: Visit) -> String {
        let (key, moment): (ClassText, Timestamp?) =
            switch handout.state {
            case .scheduled: (.appears, handout.publishAt)
            case .published: (.publishedOn, handout.publishAt)
            case .locked: (.lockedOn, handout.lockedAt)
            case .completed, .archived: (.completedOn, handout.completedAt)
            case .draft: (.changedOn, handout.updatedAt)
            }
        guard let moment else { return "" }
        return visit.texts(key, ["when": visit.moment(moment)])
    }

    private static func recipients(_ handout: Handout, _ texts: Texts) -> String {
        guard let chosen = handout.chosenCount else { return texts(ClassText.everyone) }
        return texts(ClassText.chosen, count: chosen)
    }
}
