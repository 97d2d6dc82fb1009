import HTTPServer
import HTTPWire
import JSONBytes

enum SettingsText: String, TextKey {
    case title, organization, name, domains, domainsHint, format, formatHint, timeZone, timeZoneHint
    case nameOrder, sizeStudents, sizeTeachers, reclaim, appPasswords, appPasswordsHint
    case withoutPasswords, withoutPasswordsHint, save, noticeSaved
    case progress, progressOn, progressOff, privacy, turnOn, turnOff, whoPaused
    case offTitle, offDoes, pause, pauseHint, delete, deleteHint, turnOffButton
    case noticeOn, noticeOff, noticeDeleted
    case ownDevice, ownDeviceHint, sharedDevice, sharedDeviceHint
    case leftOut, leftOutHint
    case errorTitle, errorDomainTaken, errorDomainInUse, errorNumber, errorHours, errorMinutes
    case errorPercent
    case errorNoProvider

    static let section = "settings"
}

/// `/settings`: the organization, and the switch for student progress.
enum Settings: Screen {
    static var pages: [Page] {
        [
            .show(
                "/settings", for: .administrator, menu: MenuEntry(.settings, SettingsText.title)
            ) { visit in
                let found = try await visit.api.getTagged("/v1/organization")
                return SettingsForm(found.document, tag: found.tag)
            } render: { form, visit in
                view(form, .none, visit)
            },
            .post("/settings", for: .administrator, save)
                .changing(.setting("organizationChange", byID: false)),
            .get("/settings/progress", for: .administrator) { visit in .view(question(visit)) },
            .post("/settings/progress", for: .administrator, switchProgress),
        ]
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let sent = SettingsForm(form)
        do {
            try await visit.api.send(
                .patch, "/v1/organization", sent.body,
                headers: sent.tag.isEmpty ? [] : [(name: "If-Match", value: sent.tag)])
            return .redirect("/settings", notice: Notice(SettingsText.noticeSaved))
        } catch let refusal as Refusal
            where refusal.status < 500 && ![404, 412].contains(refusal.status)
        {
            let problems = try sent.problems(refusal, visit.texts)
            return .view(view(sent, problems, visit).refused(refusal))
        }
    }

    private static func switchProgress(_ form: Form, _ visit: Visit) async throws -> Answer {
        let isOn = form["enabled"] == "yes"
        let deletes = !isOn && form["past"] == "delete"
        var change: JSONObject = JSONObject([("enabled", .bool(isOn))])
        if !isOn { change["onDisable"] = .text(deletes ? "delete" : "pause") }
        // Deleting the progress of a whole district takes longer than most pages.
        if deletes { visit.request.setDeadline(secondsFromNow: 600) }
        try await visit.api.send(
            .patch, "/v1/organization", ["studentProgress": .object(change)])
        return .redirect(
            "/settings",
            notice: Notice(
                isOn ? SettingsText.noticeOn : deletes ? .noticeDeleted : .noticeOff))
    }

    private static func view(
        _ form: SettingsForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let title = texts(SettingsText.title)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            heading(title)
            problems.summary(texts(SettingsText.errorTitle))
            progress(form.isProgressOn, visit)
            section(.class("card reading")) {
                h2 { a(.href("/settings/data")) { texts(RetentionText.link) } }
                p { texts(RetentionText.linkHint) }
            }
            section(.class("card reading")) {
                h2 { a(.href("/settings/badges")) { texts(BadgeSettingsText.link) } }
                p { texts(BadgeSettingsText.linkHint) }
            }
            editForm(visit, "/settings", version: form.tag) {
                input(
                    .type("hidden"), .name("progress"), .value(form.isProgressOn ? "on" : "off"))
                div(.class("stack reading")) {
                    organization(form, problems, texts)
                    button(.class("button button-main"), .type("submit")) {
                        texts(SettingsText.save)
                    }
                }
            }
        }
    }

    private static func progress(_ isOn: Bool, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card reading")) {
            div(.class("row row-apart")) {
                h2 { texts(SettingsText.progress) }
                if isOn {
                    tag(texts(SettingsText.progressOn), .done, .good)
                } else {
                    tag(texts(SettingsText.progressOff), .off, .line)
                }
            }
            p { texts(SettingsText.privacy) }
            div(.class("row")) {
                if isOn {
                    a(.class("button"), .href("/settings/progress")) {
                        texts(SettingsText.turnOff)
                    }
                    a(.href("/people?paused=true")) { texts(SettingsText.whoPaused) }
                } else {
                    postForm(visit, "/settings/progress") {
                        input(.type("hidden"), .name("enabled"), .value("yes"))
                        button(.class("button"), .type("submit")) { texts(SettingsText.turnOn) }
                    }
                }
            }
        }
    }

    private static func organization(
        _ form: SettingsForm, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        func text(_ id: String, _ key: SettingsText, hint: SettingsText? = nil) -> HTML {
            field(
                id, label: texts(key), hint: hint.map { texts($0) }, problem: problems[id],
                .value(form[id]))
        }
        return section(.class("card")) {
            h2 { texts(SettingsText.organization) }
            text("name", .name)
            text("domains", .domains, hint: .domainsHint)
            text("managedIdFormat", .format, hint: .formatHint)
            text("timeZone", .timeZone, hint: .timeZoneHint)
            Console.choice(
                "nameOrder", label: texts(SettingsText.nameOrder),
                [
                    ("givenFirst", texts(PersonFormText.givenFirst)),
                    ("familyFirst", texts(PersonFormText.familyFirst)),
                ], chosen: form["nameOrder"], problem: problems["nameOrder"])
            text("students", .sizeStudents)
            text("teachers", .sizeTeachers)
            text("ownDeviceIdleHours", .ownDevice, hint: .ownDeviceHint)
            text("sharedDeviceIdleMinutes", .sharedDevice, hint: .sharedDeviceHint)
            text("importLeftOutPercent", .leftOut, hint: .leftOutHint)
            label(.class("choice")) {
                input(
                    .type("checkbox"), .name("reclaim"), .value("yes"),
                    .checked(form.reclaimsLicences))
                span { texts(SettingsText.reclaim) }
            }
            label(.class("choice")) {
                input(
                    .type("checkbox"), .name("appPasswords"), .value("yes"),
                    .checked(form.allowsPasswordsInApps))
                span {
                    texts(SettingsText.appPasswords)
                    span(.class("hint")) { texts(SettingsText.appPasswordsHint) }
                }
            }
            withoutPasswords(form, problems, texts)
        }
    }

    private static func withoutPasswords(
        _ form: SettingsForm, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        label(.class("choice")) {
            input(
                .type("checkbox"), .id("withoutPasswords"), .name("withoutPasswords"),
                .value("yes"), .checked(form.isWithoutPasswords),
                Attribute("aria-invalid", problems["withoutPasswords"].map { _ in "true" }))
            span {
                texts(SettingsText.withoutPasswords)
                span(.class("hint")) { texts(SettingsText.withoutPasswordsHint) }
                if let problem = problems["withoutPasswords"] {
                    span(.class("problem")) {
                        Icon.warn.html
                        problem
                    }
                }
            }
        }
    }

    /// Whether to keep or delete what was recorded, before the switch is turned off.
    private static func question(_ visit: Visit) -> View {
        let texts = visit.texts
        func choice(_ value: String, _ key: SettingsText, _ hint: SettingsText) -> HTML {
            label(.class("choice")) {
                input(
                    .type("radio"), .name("past"), .value(value), .checked(value == "pause"))
                span {
                    texts(key)
                    span(.class("hint")) { texts(hint) }
                }
            }
        }
        return Console.confirmation(
            visit, title: texts(SettingsText.offTitle), does: texts(SettingsText.offDoes),
            button: texts(SettingsText.turnOffButton), to: "/settings/progress",
            back: "/settings",
            more: parts {
                input(.type("hidden"), .name("enabled"), .value("no"))
                choice("pause", .pause, .pauseHint)
                choice("delete", .delete, .deleteHint)
            })
    }
}
