import HTTPWire
import JSONBytes

/// How many licences of an app each location has: setting it, and moving free ones.
enum AppPools: Screen {
    static var pages: [Page] {
        [
            .post("/apps/{id}/pools", for: .licenceManager, set),
            .post("/apps/{id}/transfer", for: .licenceManager, transfer),
        ]
    }

    private static func set(_ form: Form, _ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        guard let total = Int64(String(form["total"].trimmed)) else {
            return try await refused("total", .errorNumber, form, visit)
        }
        let path: LocalPath = "/v1/apps/\(id)/pools/\(form["location"])"
        do {
            if total == 0 {
                try await visit.api.delete(path)
            } else {
                try await visit.api.put(path, ["totalCount": JSONValue(integerLiteral: total)])
            }
        } catch let refusal as Refusal where refusal.code == "licences_assigned" {
            return try await refused("total", .errorAssigned, form, visit, refusal.status)
        } catch let refusal as Refusal where refusal.fields["/totalCount"] != nil {
            return try await refused("total", .errorNumber, form, visit, refusal.status)
        } catch let refusal as Refusal where refusal.status == 404 && total == 0 {
            // There was no pool to remove.
        }
        return .redirect("/apps/\(id)", notice: Notice(PoolText.noticeSet))
    }

    private static func transfer(_ form: Form, _ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        guard let count = Int64(String(form["count"].trimmed)), count > 0 else {
            return try await refused("count", .errorNumber, form, visit)
        }
        do {
            try await visit.api.post(
                "/v1/apps/\(id)/pools/\(form["from"])/transfer",
                [
                    "locationId": .text(form["to"]), "count": JSONValue(integerLiteral: count),
                ])
        } catch let refusal as Refusal where refusal.code == "too_few_licences" {
            return try await refused("count", .errorFree, form, visit, refusal.status)
        } catch let refusal as Refusal where !refusal.fields.isEmpty {
            return try await refused("count", .errorNumber, form, visit, refusal.status)
        }
        return .redirect("/apps/\(id)", notice: Notice(PoolText.noticeMoved))
    }

    private static func refused(
        _ field: String, _ key: PoolText, _ form: Form, _ visit: Visit, _ status: Int = 422
    ) async throws -> Answer {
        var forms = AppForms(form: form)
        forms.errorTitle = visit.texts(PoolText.errorTitle)
        forms.problems.add(field, visit.texts(key))
        let content = try await AppPage.load(visit)
        return .view(AppPage.view(content, forms, visit).refused(status))
    }

    // MARK: On the app's page

    static func section(_ content: AppPage.Content, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return Tag("section")(.class("stack")) {
            h2 { texts(PoolText.title) }
            if content.pools.isEmpty {
                p(.class("soft")) { texts(PoolText.none) }
            } else {
                Console.table(
                    texts(PoolText.title),
                    head: [
                        Console.column(texts(PoolText.location)),
                        Console.column(texts(PoolText.bought), "end"),
                        Console.column(texts(PoolText.held)),
                        Console.column(texts(PoolText.waitingFor)),
                    ]
                ) {
                    for pool in content.pools { row(pool, content.locations, texts) }
                }
                if content.pools.contains(where: { $0.waiting > 0 }) {
                    p(.class("small soft")) { texts(PoolText.waitingHint) }
                }
            }
        }
    }

    private static func row(_ pool: Pool, _ locations: Locations, _ texts: Texts) -> HTML {
        tr {
            th(.scope("row")) { written(locations.name(pool.locationID) ?? "") }
            td(.class("end number")) { texts.number(pool.bought) }
            td(.class("wide")) {
                div(.class("meter")) {
                    span(.class("number")) {
                        texts.html(
                            PoolText.heldOf,
                            [
                                "held": .text(texts.number(pool.held)),
                                "all": .text(texts.number(pool.bought)),
                                "free": .text(texts.number(pool.free)),
                            ])
                        if pool.free == 0 {
                            " "
                            tag(texts(PoolText.empty), .late, .warn)
                        }
                    }
                    progress(
                        .class(pool.free == 0 ? "is-bad" : ""), .value("\(pool.held)"),
                        Attribute("max", "\(max(1, pool.bought))"), .hidden)
                }
            }
            td {
                if pool.waiting > 0 {
                    tag(texts(PoolText.waiting, count: pool.waiting), .late, .warn)
                    " "
                    a(.class("no-print"), .href(part: "give")) { texts(PoolText.give) }
                }
            }
        }
    }

    static func forms(
        _ content: AppPage.Content, _ forms: AppForms, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let locations = content.locations.options
        return parts {
            postForm(visit, "/apps/\(content.app.id)/pools", .class("card")) {
                h2 { texts(PoolText.setTitle) }
                choice("location", .location, locations, forms, texts)
                number("total", .total, forms, texts)
                div(.class("row")) {
                    button(.class("button"), .type("submit")) { texts(PoolText.save) }
                }
            }
            if !content.pools.isEmpty, locations.count > 1 {
                postForm(visit, "/apps/\(content.app.id)/transfer", .class("card")) {
                    h2 { texts(PoolText.transferTitle) }
                    choice(
                        "from", .from,
                        locations.filter { location in
                            content.pools.contains { $0.locationID == location.value }
                        }, forms, texts)
                    choice("to", .to, locations, forms, texts)
                    number("count", .count, forms, texts)
                    div(.class("row")) {
                        button(.class("button"), .type("submit")) { texts(PoolText.transfer) }
                    }
                }
            }
        }
    }

    private static func choice(
        _ id: String, _ key: PoolText, _ options: [(value: String, text: String)],
        _ forms: AppForms, _ texts: Texts
    ) -> HTML {
        Console.choice(id, label: texts(key), options, chosen: forms.form[id])
    }

    private static func number(
        _ id: String, _ key: PoolText, _ forms: AppForms, _ texts: Texts
    ) -> HTML {
        field(
            id, label: texts(key), problem: forms.problems[id], style: "input input-short",
            .value(forms.form[id]), Attribute("inputmode", "numeric"))
    }
}
