import HTTPWire
import JSONBytes

/// `/developers/new` and `/developers/{id}`: a team, the apps that it publishes for, and its keys.
enum DeveloperTeamEditor: Screen {
    static var pages: [Page] {
        [
            .get("/developers/new", for: .administrator) { visit in
                .view(view(nil, RecordForm(newFields(visit.texts)), .none, visit))
            },
            .post("/developers/new", for: .administrator, make),
            .get("/developers/{id}", for: .administrator) { visit in
                let (team, tag) = try await DeveloperTeam.load(visit)
                let record: JSONValue = [
                    "name": .text(team.name),
                    "bundleIds": .text(team.bundleIDs.joined(separator: "\n")),
                ]
                let form = RecordForm(fields(visit.texts), of: record, tag: tag)
                return .view(view(team, form, .none, visit))
            },
            .post("/developers/{id}", for: .administrator, save)
                .changing(.setting("developerTeamChange", byID: true)),
            .get("/developers/{id}/removal", for: .administrator) { visit in
                let (team, _) = try await DeveloperTeam.load(visit)
                let texts = visit.texts
                return .view(
                    Console.confirmation(
                        visit, title: texts(TeamText.removeTitle, ["name": team.name]),
                        does: texts(TeamText.removeDoes), button: texts(TeamText.remove),
                        to: "/developers/\(team.id)/removal", back: "/developers/\(team.id)"))
            },
            .post("/developers/{id}/removal", for: .administrator) { _, visit in
                try await visit.api.delete("/v1/developer-teams/\(visit["id"])")
                return .redirect("/developers", notice: Notice(TeamText.noticeRemoved))
            },
        ]
    }

    private static func fields(_ texts: Texts) -> [RecordField] {
        [
            RecordField(id: "name", label: texts(TeamText.name), isRequired: true),
            RecordField(
                id: "bundleIds", label: texts(TeamText.bundleIDs),
                hint: texts(TeamText.bundleIDsHint), control: .area),
            RecordField(
                id: "keyId", label: texts(TeamText.keyID), hint: texts(TeamText.keyIDHint)),
            RecordField(
                id: "publicKey", label: texts(TeamText.publicKey),
                hint: texts(TeamText.publicKeyHint), control: .area),
        ]
    }

    private static func newFields(_ texts: Texts) -> [RecordField] {
        [
            RecordField(
                id: "teamId", label: texts(TeamText.teamID), hint: texts(TeamText.teamIDHint),
                isRequired: true)
        ] + fields(texts)
    }

    /// The whole team, as the API takes it.
    ///
    /// - Parameter kept: the keys that stay.
    private static func body(
        _ form: RecordForm, id: String, keeping kept: [DeveloperTeam.Key]
    ) -> JSONValue {
        let bundleIDs = form["bundleIds"].split { " ,;\r\n\t".contains($0) }.map(String.init)
        var keys: [JSONValue] = kept.map {
            ["keyId": .text($0.id), "publicKey": .text($0.pem)]
        }
        if !form["keyId"].isEmpty || !form["publicKey"].isEmpty {
            keys.append(
                ["keyId": .text(form["keyId"]), "publicKey": .text(form["publicKey"])])
        }
        return [
            "teamId": .text(id), "name": .text(form["name"]),
            "bundleIds": .array(bundleIDs.map { .text($0) }), "keys": .array(keys),
        ]
    }

    private static func make(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(newFields(visit.texts), sent)
        do {
            try await visit.api.post(
                "/v1/developer-teams", body(form, id: form["teamId"], keeping: []))
        } catch let refusal as Refusal where refusal.status == 409 || refusal.status == 422 {
            let problems = try problems(form, refusal, visit.texts)
            return .view(view(nil, form, problems, visit).refused(refusal))
        }
        return .redirect("/developers", notice: Notice(TeamText.noticeMade))
    }

    private static func save(_ sent: Form, _ visit: Visit) async throws -> Answer {
        let form = RecordForm(fields(visit.texts), sent)
        let team = try await DeveloperTeam.load(visit).team
        let kept = Set(sent.all("key"))
        let path: LocalPath = "/v1/developer-teams/\(team.id)"
        do {
            try await visit.api.send(
                .put, path,
                body(form, id: team.id, keeping: team.keys.filter { kept.contains($0.id) }),
                headers: form.conditions)
        } catch let refusal as Refusal where [409, 422].contains(refusal.status) {
            let problems = try problems(form, refusal, visit.texts)
            return .view(view(team, form, problems, visit).refused(refusal))
        }
        return .redirect("/developers", notice: Notice(TeamText.noticeSaved))
    }

    /// The keys have fields of their own in the form.
    private static func problems(
        _ form: RecordForm, _ refusal: Refusal, _ texts: Texts
    ) throws -> FormProblems {
        var problems = FormProblems()
        for (pointer, code) in refusal.fields.sorted(by: { $0.key < $1.key }) {
            guard pointer.hasPrefix("/keys") else { continue }
            if code == "not_a_key" || pointer.hasSuffix("/publicKey") {
                problems.add("publicKey", texts(TeamText.errorKey))
            } else {
                problems.add("keyId", texts(TeamText.errorKeyID))
            }
        }
        if !problems.isEmpty { return problems }
        return try form.problems(
            refusal, texts,
            [
                "team_exists": texts(TeamText.errorTeam),
                "bundle_id_taken": texts(TeamText.errorBundle),
            ])
    }

    // MARK: The page

    private static func view(
        _ team: DeveloperTeam?, _ form: RecordForm, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let page = RecordPage(
            title: team?.name ?? texts(TeamText.new), isNew: team == nil,
            errorTitle: texts(TeamText.errorTitle),
            buttonText: texts(team == nil ? TeamText.make : .save),
            action: team.map { "/developers/\($0.id)" } ?? "/developers/new", back: "/developers",
            crumbs: [("/developers", .text(texts(TeamText.title)))])
        return page.view(
            form, problems, visit,
            more: parts {
                if let team {
                    keys(team, texts)
                    p { a(.href("/developers/\(team.id)/removal")) { texts(TeamText.remove) } }
                }
            })
    }

    /// The keys that the team has; those whose box is cleared are removed.
    private static func keys(_ team: DeveloperTeam, _ texts: Texts) -> HTML {
        guard !team.keys.isEmpty else { return .nothing }
        return fieldset {
            legend { texts(TeamText.keys) }
            p(.class("hint")) { texts(TeamText.keepKeys) }
            for key in team.keys {
                label(.class("choice")) {
                    input(.type("checkbox"), .name("key"), .value(key.id), .checked(true))
                    span(.class("code")) { key.id }
                }
            }
        }
    }
}
