import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// Does what a plan says, by the calls that people, apps and scripts make.
extension RandomSchool {
    /// Tries a step. It happened if the service took it; what it took from somebody who may not is a finding.
    func perform(_ step: Step) async throws {
        try advance(to: step.at)
        guard let answer = try await answer(to: step) else { return }
        guard (200..<300).contains(answer.status) else { return }
        if !oracle.allows(step, worlds) {
            findings.append("\(step.actor?.text ?? "somebody") was not refused: \(step.deed)")
        }
        remember(step.event)
        learn(step.deed, answer)
    }

    /// `nil`: it was done without a call, or cannot be tried, since what it is about was never made.
    private func answer(to step: Step) async throws -> Answer? {
        switch step.deed {
        case .joins(let person, let role, let classroom):
            try await administrate(.put, seat(person, role, classroom))
        case .leaves(let person, let role, let classroom):
            try await administrate(.delete, seat(person, role, classroom))
        case .archives: try await administrate(.post, "/v1/terms/\(term.uuid)/closing")
        case .revives: try await administrate(.delete, "/v1/terms/\(term.uuid)/closing")
        case .switchesSchool(let isOn, let deletes):
            try await administrate(
                .patch, "/v1/organization", ["studentProgress": progress(isOn, deletes)])
        case .switchesStudent(let student, let isOn):
            try await administrate(
                isOn ? .delete : .post, "/v1/people/\(text(of: student))/progress-pause")
        case .gives(let handout):
            try await ask(
                .post, "/v1/handouts", token(handout.author, in: handout.world), body(handout))
        case .publishes(let name, let moment):
            try await change(
                name, step.actor, .post, "/publication", ["publishAt": text(moment)])
        case .chooses(let name, let recipients):
            try await change(
                name, step.actor, .patch, "", ["recipients": self.recipients(recipients)])
        case .locks(let name): try await change(name, step.actor, .put, "/lock")
        case .unlocks(let name): try await change(name, step.actor, .delete, "/lock")
        case .completes(let name): try await change(name, step.actor, .post, "/completion")
        case .deletes(let name): try await change(name, step.actor, .delete, "")
        case .withdraws(let context): try withdraw(context)
        case .opens(let task, let student, let isOpened):
            try await note(task, student, isOpened ? .put : .delete, "opened")
        case .marksDone(let task, let student, let isDone):
            try await note(task, student, isDone ? .put : .delete, "done")
        case .reportsCompletion(let student, let context):
            try await ask(
                .post, "/v1/me/completions", token(student, in: context.world, app: context.app),
                ["identifierPath": path(context)])
        case .uploads(let parts): try await upload(parts)
        }
    }

    /// What the service calls what was made.
    private func learn(_ deed: Deed, _ answer: Answer) {
        guard case .gives(let handout) = deed, let id = UUID(answer.json["id"]?.text ?? "") else {
            return
        }
        handouts[handout.name] = HandoutID(id)
        names[id] = handout.name.text
        for (task, made) in zip(handout.tasks, answer.json["tasks"]?.array ?? []) {
            guard let id = UUID(made["id"]?.text ?? "") else { continue }
            tasks[task.name] = TaskID(id)
            names[id] = task.name.text
        }
    }

    // MARK: Calls

    func ask(
        _ method: HTTPMethod, _ target: String, _ token: String, _ body: JSONValue? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await service.send(
            method, target, token: token, body: body?.bytes ?? [], headers: headers)
    }

    private func administrate(
        _ method: HTTPMethod, _ target: String, _ body: JSONValue? = nil
    ) async throws -> Answer {
        try await ask(method, target, token(Cast.administrator), body)
    }

    private func change(
        _ name: HandoutName, _ actor: PersonName?, _ method: HTTPMethod, _ rest: String,
        _ body: JSONValue? = nil
    ) async throws -> Answer? {
        guard let actor, let id = handouts[name], let world = worlds[name] else { return nil }
        return try await ask(
            method, "/v1/handouts/\(id.uuid)\(rest)", token(actor, in: world), body)
    }

    private func note(
        _ task: TaskName, _ student: PersonName, _ method: HTTPMethod, _ what: String
    ) async throws -> Answer? {
        guard let id = tasks[task] else { return nil }
        return try await ask(
            method, "/v1/assignments/\(id.uuid)/\(what)",
            token(student, in: worlds[task.handout] ?? .production))
    }

    private func upload(_ parts: [Part]) async throws -> Answer? {
        guard let first = parts.first else { return nil }
        return try await ask(
            .post, "/v1/activities",
            token(first.activity.student, in: first.context.world, app: first.context.app),
            ["activities": .array(parts.map(body))])
    }

    /// As the developer would; no call of a person withdraws a context.
    private func withdraw(_ context: Context) throws -> Answer {
        try service.sql(
            """
            update school.context set deleted_at = coalesce(deleted_at, school.moment())
             where organization_id = \(organization) and bundle_id = \(context.app)
               and environment = \(context.world.rawValue) and identifier_path = \(context.path)
            """)
        return Answer(status: 204, headers: [], body: [])
    }

    // MARK: Bodies

    func text(of person: PersonName) -> String { people[person]?.uuid.description ?? "" }

    private func seat(_ person: PersonName, _ role: Role, _ classroom: ClassName) -> String {
        let id = classes[classroom]?.uuid.description ?? ""
        return "/v1/classes/\(id)/\(role.rawValue)s/\(text(of: person))"
    }

    private func progress(_ isOn: Bool, _ deletes: Bool) -> JSONValue {
        isOn
            ? ["enabled": true]
            : ["enabled": false, "onDisable": deletes ? "delete" : "pause"]
    }

    private func recipients(_ recipients: Recipients) -> JSONValue {
        switch recipients {
        case .wholeClass: "class"
        case .chosen(let students): .array(students.sorted().map { .text(text(of: $0)) })
        }
    }

    private func body(_ handout: Handout) -> JSONValue {
        [
            "classId": .text(classes[handout.classroom]?.uuid.description ?? ""),
            "title": .text(handout.name.text), "recipients": recipients(handout.recipients),
            "publishAt": handout.publication.map { text($0) } ?? nil,
            "tasks": .array(
                handout.tasks.map {
                    [
                        "kind": "appActivity", "bundleId": .text($0.context.app),
                        "identifierPath": path($0.context),
                    ]
                }),
        ]
    }

    private func path(_ context: Context) -> JSONValue {
        .array(context.path.map(JSONValue.text))
    }

    private func body(_ part: Part) -> JSONValue {
        [
            "id": .text(id(part.activity).description), "identifierPath": path(part.context),
            "startedAt": text(part.start), "stoppedAt": part.stop.map { text($0) } ?? nil,
            "durationSeconds": .number(JSONNumber(Int64(part.seconds))),
            "progressRanges": [[0, JSONValue(floatLiteral: Double(part.progress) / 100)]],
            "primaryItem": [
                "kind": "quantity", "identifier": "mark", "title": .text(mark.text(part.edition)),
                "quantity": .number(JSONNumber(Int64(part.edition))),
            ],
            // Of two parts the later edition is the one whose item stays.
            "modifiedAt": text(0, milliseconds: Int64(part.edition)),
        ]
    }
}

extension Oracle {
    /// Whether a step was the actor's to take, as far as the rules of privacy say so.
    fileprivate func allows(_ step: Step, _ worlds: [HandoutName: World]) -> Bool {
        guard let actor = step.actor else { return true }
        switch step.deed {
        case .gives(let handout): return mayGive(to: handout.classroom, actor)
        case .publishes(let name, _), .chooses(let name, _), .locks(let name), .unlocks(let name),
            .completes(let name), .deletes(let name):
            return mayChange(name, actor, in: worlds[name] ?? .production)
        case .opens(let task, let student, _), .marksDone(let task, let student, _):
            let world = worlds[task.handout] ?? .production
            return handouts(seenBy: .student(student, world)).contains(task.handout)
        default: return true
        }
    }
}

extension TaskName {
    /// The handout in which the task stands: `H3.1` in `H3`.
    var handout: HandoutName {
        HandoutName(String(text.split(separator: ".").first ?? ""))
    }
}
