extension ActivityChooser {
    static func view(_ content: Content, problem: String? = nil, _ visit: Visit) -> View {
        let texts = visit.texts
        let place = content.place
        var problems = FormProblems.none
        if place.isSearch, place.words.isEmpty { problems.add("q", texts(ChooserText.errorWords)) }
        return View(texts(ChooserText.title)) {
            div {
                crumbs(steps(content, texts), texts)
                heading(texts(ChooserText.title), below: .text(texts(ChooserText.intro)))
            }
            if let problem { notice(.bad, .warn) { p { problem } } }
            searchForm(place, problems, content, texts)
            if place.isSearch {
                if problems.isEmpty { found(content, visit) }
            } else if let bundleID = place.bundleID {
                contents(of: bundleID, content, visit)
            } else {
                apps(content, visit)
            }
            if let next = content.nextPage {
                nav(.class("pages"), .label(texts(ChooserText.results))) {
                    a(.class("button"), .rel("next"), .href(address(place, content, page: next))) {
                        texts(ChooserText.more)
                        " "
                        Icon.next.html
                    }
                }
            }
            div(.class("row row-apart sticky-foot")) {
                p {
                    strong {
                        texts(ChooserText.addedCount, count: content.handout.tasks.count)
                    }
                }
                a(.class("button button-main"), .href("/handouts/\(content.handout.id)/edit#tasks"))
                {
                    texts(ChooserText.backToHandout)
                }
            }
        }
    }

    private static func steps(
        _ content: Content, _ texts: Texts
    ) -> [(path: LocalPath, name: String)] {
        let id = content.handout.id
        var steps: [(path: LocalPath, name: String)] = [
            ("/handouts/\(id)/edit", content.handout.summary.title)
        ]
        if content.place.isSearch || content.place.bundleID != nil {
            steps.append(("/handouts/\(id)/activities", texts(ChooserText.apps)))
        }
        if let bundleID = content.place.bundleID, !content.place.path.isEmpty {
            steps.append(
                ("/handouts/\(id)/activities?app=\(bundleID)", name(of: bundleID, content) ?? ""))
        }
        return steps
    }

    private static func name(of bundleID: String, _ content: Content) -> String? {
        content.apps.first { $0.bundleID == bundleID }?.title
    }

    /// The same place, or what is below it.
    private static func address(
        _ place: Place, _ content: Content, page: String? = nil
    ) -> LocalPath {
        let start = LocalPath("/handouts/\(content.handout.id)/activities")
        guard place.isSearch else {
            let path = place.path.isEmpty ? nil : CatalogEntry.text(of: place.path)
            return start.with("app", place.bundleID).with("path", path).with("page", page)
        }
        return start.with("q", place.words).with("topic", place.topic?.rawValue)
            .with("age", place.age.map { "\($0)" })
            .with("minutes", place.minutes.map { "\($0)" }).with("page", page)
    }

    // MARK: Searching

    private static func searchForm(
        _ place: Place, _ problems: FormProblems, _ content: Content, _ texts: Texts
    ) -> HTML {
        getForm(
            "/handouts/\(content.handout.id)/activities", .class("filter card"), .role("search"),
            .label(texts(ChooserText.search))
        ) {
            div(.class("field-grow")) {
                field(
                    "q", label: texts(ChooserText.words), problem: problems["q"],
                    .type("search"), .value(place.words), .dirAuto)
            }
            select("topic", texts(ChooserText.topic), texts(ChooserText.anyTopic)) {
                for topic in Topic.allCases {
                    option(.value(topic.rawValue), .selected(topic == place.topic)) {
                        texts(topic.word)
                    }
                }
            }
            select("age", texts(ChooserText.age), texts(ChooserText.anyAge)) {
                for age in 4...19 {
                    option(.value("\(age)"), .selected(age == place.age)) { texts.number(age) }
                }
            }
            select("minutes", texts(ChooserText.atMost), texts(ChooserText.anyTime)) {
                for minutes in [5, 10, 15, 20, 30, 45, 60] {
                    option(.value("\(minutes)"), .selected(minutes == place.minutes)) {
                        texts(CommonText.minutes, ["m": texts.number(minutes)])
                    }
                }
            }
            button(.class("button"), .type("submit")) {
                Icon.search.html
                texts(ChooserText.searchButton)
            }
        }
    }

    private static func select(
        _ id: String, _ text: String, _ any: String, @HTMLBuilder options: () -> [HTML]
    ) -> HTML {
        div(.class("field")) {
            label(.for(id)) { text }
            selectTag(.class("input"), .id(id), .name(id)) {
                option(.value("")) { any }
                parts(options)
            }
        }
    }

    private static func found(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        guard !content.entries.isEmpty else {
            return emptyBox(
                texts(ChooserText.nothingFound), texts(ChooserText.nothingFoundAdvice))
        }
        return section(.class("card"), .labelledBy("results")) {
            h2(.id("results")) { texts(ChooserText.results) }
            list(content.entries, content, visit, namesApp: true)
        }
    }

    // MARK: Browsing

    private static func apps(_ content: Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        guard !content.apps.isEmpty else {
            return emptyBox(texts(ChooserText.noApps), texts(ChooserText.noAppsAdvice))
        }
        return section(.class("card"), .labelledBy("apps")) {
            h2(.id("apps")) { texts(ChooserText.apps) }
            list(content.apps, content, visit)
        }
    }

    private static func contents(
        of bundleID: String, _ content: Content, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let place = content.place
        return section(.class("card"), .labelledBy("here")) {
            div(.class("row row-apart")) {
                h2(.id("here"), .dirAuto) {
                    content.parent?.title ?? name(of: bundleID, content) ?? ""
                }
                if place.path.count > 1 {
                    a(.href(below(bundleID, place.path.dropLast(), content))) {
                        Icon.up.html
                        " "
                        texts(ChooserText.upOne)
                    }
                }
            }
            if content.entries.isEmpty {
                p(.class("soft")) { texts(ChooserText.nothingHere) }
            } else {
                list(content.entries, content, visit)
            }
        }
    }

    private static func below(
        _ bundleID: String, _ path: [String], _ content: Content
    ) -> LocalPath {
        LocalPath("/handouts/\(content.handout.id)/activities").with("app", bundleID)
            .with("path", path.isEmpty ? nil : CatalogEntry.text(of: path))
    }

    private static func list(
        _ entries: [CatalogEntry], _ content: Content, _ visit: Visit, namesApp: Bool = false
    ) -> HTML {
        ul(.class("list list-wraps")) {
            for entry in entries {
                li {
                    if let picture = entry.picture { ContextPicture.html(picture) }
                    words(entry, app: namesApp ? name(of: entry.bundleID, content) : nil, visit)
                    div(.class("wrap-end")) { buttons(entry, content, visit) }
                }
            }
        }
    }

    @HTMLBuilder
    private static func buttons(
        _ entry: CatalogEntry, _ content: Content, _ visit: Visit
    ) -> [HTML] {
        let texts = visit.texts
        let isAdded = content.handout.tasks.contains {
            $0.kind == .appActivity && $0.bundleID == entry.bundleID && $0.path == entry.path
        }
        if isAdded {
            tag(texts(ChooserText.added), .done, .good)
        } else if entry.isAssignable {
            postForm(visit, address(content.place, content, page: visit.query("page"))) {
                input(.type("hidden"), .name("bundleId"), .value(entry.bundleID))
                input(.type("hidden"), .name("path"), .value(entry.pathText))
                button(.class("button"), .type("submit")) {
                    Icon.plus.html
                    texts.html(
                        ChooserText.add, ["title": span(.class("unseen")) { written(entry.title) }])
                }
            }
        }
        if entry.hasChildren {
            a(.class("button button-plain"), .href(below(entry.bundleID, entry.path, content))) {
                texts.html(
                    ChooserText.open, ["title": span(.class("unseen")) { written(entry.title) }])
                Icon.next.html
            }
        }
    }

    private static func words(_ entry: CatalogEntry, app: String?, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let type = entry.customType ?? entry.type.map { texts($0.word) }
        return div(.class("grow")) {
            p {
                strong { written(entry.title) }
                if let type, !entry.path.isEmpty {
                    " "
                    span(.class("tag"), .dirAuto) { type }
                }
            }
            if let app {
                p(.class("small")) { texts.html(ChooserText.inApp, ["app": written(app)]) }
            }
            if let summary = entry.summary { p(.dirAuto) { summary } }
            p(.class("small soft")) { dotted(facts(entry, texts)) }
        }
    }

    private static func facts(_ entry: CatalogEntry, _ texts: Texts) -> [HTML] {
        let reports = entry.reports.map { texts($0.word) }
        return [
            .text(range(entry.ages, .ages, .agesFrom, .agesTo, texts)),
            .text(range(entry.minutes, .minuteRange, .minutesFrom, .minutesTo, texts)),
            .text(reports.isEmpty ? "" : texts(ChooserText.reports, ["what": texts.list(reports)])),
            .text(entry.isAssignable ? "" : texts(ChooserText.notAssignable)),
        ]
    }

    private static func range(
        _ range: (from: Int?, to: Int?), _ both: ChooserText, _ from: ChooserText,
        _ to: ChooserText, _ texts: Texts
    ) -> String {
        let (low, high) = (range.from.map { texts.number($0) }, range.to.map { texts.number($0) })
        switch (low, high) {
        case (let low?, let high?): return texts(both, ["from": low, "to": high])
        case (let low?, nil): return texts(from, ["n": low])
        case (nil, let high?): return texts(to, ["n": high])
        case (nil, nil): return ""
        }
    }
}
