import JSONBytes
import Values

enum SheetText: String, TextKey {
    case title, intro, who, onlyNew, everyone, make, nobodyNew
    case shownOnce, slips, madeOn, leftOut, print
    case problem, problemEmpty

    static let section = "sheet"
}

/// `/classes/{id}/sign-in-sheet`: new passwords for a class, on paper to cut along the lines.
enum SignInSheet: Screen {
    static var pages: [Page] {
        [
            .get("/classes/{id}/sign-in-sheet", for: .teacher) { visit in
                .view(question(try await Members.load(visit["id"], visit.api), visit))
            },
            .post("/classes/{id}/sign-in-sheet", for: .teacher, make),
        ]
    }

    private static func make(_ form: Form, _ visit: Visit) async throws -> Answer {
        let texts = visit.texts
        let content = try await Members.load(visit["id"], visit.api)
        var order: JSONValue = ["classId": .text(content.schoolClass.id)]
        if form["who"] == "new" {
            let new = content.students.filter { $0.status == .new }
            guard !new.isEmpty else {
                let problem = texts(SheetText.nobodyNew)
                return .view(question(content, problem: problem, visit).refused())
            }
            order = ["personIds": .array(new.map { .text($0.id) })]
        }
        do {
            let slips = try await Slip.make(order, visit)
            return .view(sheet(slips, content, isForAll: form["who"] != "new", visit))
        } catch let refusal as Refusal where refusal.isForForm || refusal.status == 403 {
            let problem =
                refusal.status >= 429 || refusal.code == "without_passwords"
                ? TeachingText.sentence(refusal, texts)
                : texts(refusal.status == 422 ? SheetText.problemEmpty : .problem)
            return .view(question(content, problem: problem, visit).refused(refusal))
        }
    }

    // MARK: The pages

    private static func question(
        _ content: Members, problem: String? = nil, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let isAnyNew = content.students.contains { $0.status == .new }
        return View(texts(SheetText.title)) {
            div {
                crumbs(Roster.steps(content.schoolClass, texts), texts)
                heading(texts(SheetText.title), below: .text(texts(SheetText.intro)))
            }
            if let problem { notice(.bad, .warn) { p { problem } } }
            postForm(visit, visit.address.withoutQuery, .class("card reading")) {
                fieldset {
                    legend { texts(SheetText.who) }
                    choice("who", "new", isChosen: isAnyNew) { texts(SheetText.onlyNew) }
                    choice("who", "all", isChosen: !isAnyNew) { texts(SheetText.everyone) }
                }
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(SheetText.make)
                    }
                    a(
                        .class("button button-plain"),
                        .href("/classes/\(content.schoolClass.id)/roster")
                    ) { texts(TeachingText.cancel) }
                }
            }
        }
    }

    private static func sheet(
        _ slips: [Slip], _ content: Members, isForAll: Bool, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let leftOut = isForAll ? content.students.count - slips.count : 0
        return View(texts(SheetText.title)) {
            heading(
                texts(SheetText.title),
                below: dotted([
                    written(content.schoolClass.name),
                    .text(texts(SheetText.slips, count: slips.count)),
                    .text(texts(SheetText.madeOn, ["when": visit.moment(visit.now)])),
                ])
            ) {
                a(
                    .class("button button-main"), .href(part: "slips"),
                    Attribute("data-print", "")
                ) {
                    Icon.print.html
                    texts(SheetText.print)
                }
            }
            div(.class("no-print stack")) {
                notice(.warn, .warn) { p { texts.html(SheetText.shownOnce) } }
                if leftOut > 0 {
                    p(.class("warn")) { texts(SheetText.leftOut, count: leftOut) }
                }
            }
            div(.class("slips"), .id("slips")) { for item in slips { slip(item, visit) } }
        }
    }
}
