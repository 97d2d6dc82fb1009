import HTTPWire
import JSONBytes
import Postgres
import PrivacyRules
import School
import TestKit
import Values

/// Carries out a plan, by the calls that people, apps and scripts make.
extension RandomSchool {
    /// Tries a step. It happened if the service accepted it; a step accepted from a person who may not take it is a
    /// finding.
    func perform(_ step: Step) async throws {
        try advance(to: step.at)
        guard let answer = try await answer(to: step) else { return }
        guard (200..<300).contains(answer.status) else { return }
        if !oracle.allows(step, worlds) {
            findings.append("\(step.actor?.text ?? "somebody") was not refused: \(step.deed)")
        }
        let owners = owners(for: step)
        remember(step.event)
        learn(step.deed, answer)
        try learnOwners(step.deed, of: owners)
    }

    /// `nil` if it was done without a call, or cannot be tried, since what it is about was never created.
    private func answer(to step: Step) async throws -> Answer? {
        switch step.deed {
        case .joins(let person, let role, let classroom):
            try await changeSeat(.put, person, role, classroom)
        case .leaves(let person, let role, let classroom):
            try await changeSeat(.delete, person, role, classroom)
        case .willJoin(let person, let role, let classroom, let moment):
            try willJoin(person, role, classroom, at: moment)
        case .willLeave(let person, let role, let classroom, let moment):
            try willLeave(person, role, classroom, at: moment)
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
        case .copies(let name, let copy, let classroom, let author):
            try await change(
                name, author, .post, "/copy",
                [
                    "classId": .text(classes[classroom]?.uuid.description ?? ""),
                    "title": .text(copy.text),
                ])
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
        case .edits(let name, let removed, let added, let discards):
            try await edit(name, step.actor, without: removed, with: added, discards)
        case .givesBack(let task, let student, let given):
            try await giveBack(task, student, step.actor, given)
        case .takesBack(let task, let student):
            try await giveBack(task, student, step.actor, nil)
        case .withdraws(let context): try withdraw(context)
        case .saves(let own, let edition): try await save(own, edition)
        case .removes(let own):
            try await ask(
                .delete, "/v1/me/contexts?path=[%22own%22]",
                token(own.owner, in: own.context.world, app: own.context.app))
        case .erases(let person):
            try await administrate(.post, "/v1/people/\(text(of: person))/erasure")
        case .opens(let task, let student, let isOpened):
            try await note(task, student, isOpened ? .put : .delete, "opened")
        case .marksDone(let task, let student, let isDone):
            try await note(task, student, isDone ? .put : .delete, "done")
        case .reportsCompletion(let student, let context):
            try await ask(
                .post, "/v1/me/completions", token(student, in: context.world, app: context.app),
                ["identifierPath": path(context)])
        case .uploads(let parts): try await upload(parts)
        case .launches(let task, let person): try await launch(task, person)
        }
    }

    /// The service's id of what was created.
    private func learn(_ deed: Deed, _ answer: Answer) {
        let given: HandoutName? =
            switch deed {
            case .gives(let handout): handout.name
            case .edits(let name, _, _, _): name
            case .copies(_, let copy, _, _): copy
            default: nil
            }
        guard let given, let handout = oracle.handout(given),
            let id = UUID(answer.json["id"]?.text ?? "")
        else { return }
        handouts[given] = HandoutID(id)
        names[id] = given.text
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
        let answer = try await service.send(
            method, target, token: token, body: body?.bytes ?? [], headers: headers)
        // A failure must not be mistaken for a finding.
        guard answer.status < 500 else {
            throw Broken(description: "\(answer.status) by \(method.name) \(target)")
        }
        return answer
    }

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    private func administrate(
        _ method: HTTPMethod, _ target: String, _ body: JSONValue? = nil
    ) async throws -> Answer {
        try await ask(method, target, token(Cast.administrator), body)
    }

    func change(
        _ name: HandoutName, _ actor: PersonName?, _ method: HTTPMethod, _ rest: String,
        _ body: JSONValue? = nil, headers: [(String, String)] = []
    ) async throws -> Answer? {
        guard let actor, let id = handouts[name], let world = worlds[name] else { return nil }
        return try await ask(
            method, "/v1/handouts/\(id.uuid)\(rest)", token(actor, in: world), body,
            headers: headers)
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
        guard first.context.app != Cast.tool else { return try await score(first) }
        return try await ask(
            .post, "/v1/activities",
            token(first.activity.student, in: first.context.world, app: first.context.app),
            ["activities": .array(parts.map(body))])
    }

    // MARK: Bodies

    func text(of person: PersonName) -> String { people[person]?.uuid.description ?? "" }

    /// By a teacher who may, else by the administrator.
    private func changeSeat(
        _ method: HTTPMethod, _ person: PersonName, _ role: Role, _ classroom: ClassName
    ) async throws -> Answer {
        if let answer = try await seatAsTeachers(method, person, role, classroom) { return answer }
        return try await administrate(method, seat(person, role, classroom))
    }

    private func seat(_ person: PersonName, _ role: Role, _ classroom: ClassName) -> String {
        let id = classes[classroom]?.uuid.description ?? ""
        return "/v1/classes/\(id)/\(role.rawValue)s/\(text(of: person))"
    }

    private func progress(_ isOn: Bool, _ deletes: Bool) -> JSONValue {
        isOn
            ? ["enabled": true]
            : ["enabled": false, "onDisable": deletes ? "delete" : "pause"]
    }

    func recipients(_ recipients: Recipients) -> JSONValue {
        switch recipients {
        case .wholeClass: "class"
        case .chosen(let students): .array(students.sorted().map { .text(text(of: $0)) })
        }
    }

    func body(_ handout: Handout) -> JSONValue {
        let body: JSONValue = [
            "classId": .text(classes[handout.classroom]?.uuid.description ?? ""),
            "title": .text(handout.name.text), "recipients": recipients(handout.recipients),
            "publishAt": handout.publication.map { text($0) } ?? nil,
            "tasks": .array(handout.tasks.map(self.body)),
        ]
        return body.withoutNulls
    }

    /// With its id if it has one by now.
    private func body(_ task: Task) -> JSONValue {
        var members: [(String, JSONValue)] =
            task.context.app == Cast.tool
            ? [("kind", "tool"), ("toolId", .text(tool.description)), ("title", "Work")]
            : [
                ("kind", "appActivity"), ("bundleId", .text(task.context.app)),
                ("identifierPath", path(task.context)),
            ]
        if let id = tasks[task.name] { members.append(("id", .text(id.uuid.description))) }
        return .object(JSONObject(members))
    }

    func path(_ context: Context) -> JSONValue {
        .array(context.path.map(JSONValue.text))
    }

    private func body(_ part: Part) -> JSONValue {
        let body: JSONValue = [
            "id": .text(id(part.activity).description), "identifierPath": path(part.context),
            "startedAt": text(part.start), "stoppedAt": part.stop.map { text($0) } ?? nil,
            "durationSeconds": .number(JSONNumber(Int64(part.seconds))),
            "progressRanges": [[0, JSONValue(floatLiteral: Double(part.progress) / 100)]],
            "primaryItem": [
                "kind": "quantity", "identifier": "mark", "title": .text(mark.text(part.edition)),
                "quantity": .number(JSONNumber(Int64(part.edition))),
            ],
            "modifiedAt": text(0, milliseconds: Int64(part.changed) * 1000),
        ]
        return body.withoutNulls
    }
}

extension Oracle {
    /// Whether a step was the actor's to take, as far as the rules of privacy are concerned.
    fileprivate func allows(_ step: Step, _ worlds: [HandoutName: World]) -> Bool {
        guard let actor = step.actor else { return true }
        switch step.deed {
        case .gives(let handout): return mayGive(to: handout.classroom, actor)
        case .publishes(let name, _), .chooses(let name, _), .locks(let name), .unlocks(let name),
            .completes(let name), .deletes(let name):
            return mayChange(name, actor, in: worlds[name] ?? .production)
        case .copies(let name, _, let classroom, _):
            return mayChange(name, actor, in: worlds[name] ?? .production)
                && mayGive(to: classroom, actor)
        case .edits(let name, _, _, _):
            return mayChange(name, actor, in: worlds[name] ?? .production)
        case .givesBack(let task, let student, _):
            return mayGiveBack(task, student, actor, in: worlds[task.handout] ?? .production)
        case .takesBack(let task, _):
            return mayChange(task.handout, actor, in: worlds[task.handout] ?? .production)
        case .launches(let task, let person):
            return [.student(person, .production), .teacher(person, .production)].contains {
                handouts(seenBy: $0).contains(task.handout)
            }
        case .opens(let task, let student, _), .marksDone(let task, let student, _):
            let world = worlds[task.handout] ?? .production
            return handouts(seenBy: .student(student, world)).contains(task.handout)
        default: return true
        }
    }
}

extension TaskName {
    /// The handout that contains the task: `H3` for `H3.1`.
    var handout: HandoutName {
        HandoutName(String(text.split(separator: ".").first ?? ""))
    }
}
