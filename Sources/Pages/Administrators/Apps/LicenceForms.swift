import HTTPWire
import JSONBytes

/// Giving licences of an app to a class, to people or to devices, and taking them back.
enum LicenceForms: Screen {
    static var pages: [Page] {
        [
            .post("/apps/{id}/licences", for: .licenceManager, give),
            .post("/apps/{id}/licences/return", for: .licenceManager, takeBack),
        ]
    }

    /// Who is meant cannot be found out.
    private struct Unclear: Error {
        let field: String
        let key: LicenceText
    }

    private static func give(_ form: Form, _ visit: Visit) async throws -> Answer {
        do {
            var body = try await holders(form, visit)
            if let location = form["pool"].nilIfEmpty { body["locationId"] = .text(location) }
            try await visit.api.post("/v1/apps/\(visit["id"])/licences", .object(body))
        } catch let unclear as Unclear {
            return try await refused(unclear.field, unclear.key, form, visit, 422)
        } catch let refusal as Refusal {
            guard let key = reason(refusal) else { throw refusal }
            return try await refused(chosenField(form), key, form, visit, refusal.status)
        }
        return .redirect("/apps/\(visit["id"])", notice: Notice(LicenceText.noticeGiven))
    }

    private static func chosenField(_ form: Form) -> String {
        if !form["class"].isEmpty { return "class" }
        return form["person"].isEmpty ? "devices" : "person"
    }

    /// The class, the people or the devices that the form names: one of them.
    private static func holders(_ form: Form, _ visit: Visit) async throws -> JSONObject {
        let chosen = ["class", "person", "devices"].filter { !form[$0].trimmed.isEmpty }
        guard chosen.count == 1 else {
            throw Unclear(
                field: chosen.first ?? "class", key: chosen.isEmpty ? .errorNobody : .errorSeveral)
        }
        let words = form[chosen[0]].split { " ,;\r\n\t".contains($0) }.map(String.init)
        switch chosen[0] {
        case "class": return JSONObject([("classId", .text(form["class"]))])
        case "devices":
            return JSONObject([("serialNumbers", .array(words.map { .text($0) }))])
        default:
            var ids: [JSONValue] = []
            for managedID in words {
                let page = try await visit.api.get(
                    LocalPath("/v1/people?limit=1").with("managedId", managedID))
                guard let id = page["items"]?.array?.first?["id"]?.text else {
                    throw Unclear(field: "person", key: .errorUnknown)
                }
                ids.append(.text(id))
            }
            return JSONObject([("personIds", .array(ids))])
        }
    }

    private static func reason(_ refusal: Refusal) -> LicenceText? {
        let codes = Set(refusal.fields.values)
        switch refusal.code {
        case "too_few_licences": return .errorFew
        case "class_archived": return .errorArchived
        case "holder_deactivated": return .errorDeactivated
        default: break
        }
        if codes.contains("deactivated") { return .errorDeactivated }
        if codes.contains("no_location") || codes.contains("ambiguous_location") {
            return .errorLocation
        }
        if codes.contains("not_device_assignable") { return .errorDevices }
        return refusal.status == 422 ? .errorUnknown : nil
    }

    private static func takeBack(_ form: Form, _ visit: Visit) async throws -> Answer {
        let id = visit["id"]
        let chosen = form.all("licence")
        guard !chosen.isEmpty else {
            return .redirect("/apps/\(id)")
        }
        for licence in chosen {
            do {
                try await visit.api.delete("/v1/apps/\(id)/licences/\(licence)")
            } catch let refusal as Refusal where refusal.status == 404 {
                // Another administrator took it back meanwhile.
            } catch let refusal as Refusal where refusal.code == "not_revocable" {
                return try await refused("class", .errorStays, .none, visit, refusal.status)
            }
        }
        return .redirect("/apps/\(id)", notice: Notice(LicenceText.noticeReturned))
    }

    private static func refused(
        _ field: String, _ key: LicenceText, _ form: Form, _ visit: Visit, _ status: Int
    ) async throws -> Answer {
        var forms = AppForms(form: form)
        forms.errorTitle = visit.texts(LicenceText.errorTitle)
        forms.problems.add(field, visit.texts(key))
        let content = try await AppPage.load(visit)
        return .view(AppPage.view(content, forms, visit).refused(status))
    }

    // MARK: On the app's page

    static func give(
        _ content: AppPage.Content, _ forms: AppForms, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let holder = content.holder
        func value(_ id: String, _ first: String?) -> String {
            forms.form.has(id) ? forms.form[id] : first ?? ""
        }
        return postForm(visit, "/apps/\(content.app.id)/licences", .class("card")) {
            h2(.id("give")) { texts(LicenceText.giveTitle) }
            Console.choice(
                "class", label: texts(LicenceText.schoolClass),
                [("", texts(LicenceText.noClass))] + content.classes,
                chosen: value("class", holder?.kind == "class" ? holder?.id : nil),
                problem: forms.problems["class"])
            field(
                "person", label: texts(LicenceText.person), hint: texts(LicenceText.personHint),
                problem: forms.problems["person"], .value(value("person", holder?.managedID)),
                .autocomplete("off"))
            if content.app.isForDevices {
                field(
                    "devices", label: texts(LicenceText.devices),
                    hint: texts(LicenceText.devicesHint), problem: forms.problems["devices"],
                    .value(value("devices", nil)), .autocomplete("off"))
            }
            Console.choice(
                "pool", label: texts(LicenceText.outOf),
                [("", texts(LicenceText.ownPool))]
                    + content.pools.map { pool in
                        let name = content.locations.name(pool.locationID) ?? ""
                        return (
                            pool.locationID,
                            texts(
                                PoolText.freeAt,
                                ["location": name, "free": texts.number(pool.free)])
                        )
                    }, chosen: forms.form["pool"])
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) { texts(LicenceText.give) }
            }
            p(.class("small soft")) { texts(LicenceText.allOrNone) }
        }
    }
}
