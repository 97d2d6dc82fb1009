import HTTPWire
import JSONBytes
import School
import Values

/// A handout of the demonstration as stored by the service.
struct GivenHandout: Sendable {
    let id: UUID
    let homework: Homework
    let taughtClass: DemonstrationSchool.TaughtClass
    let publishedAt: Timestamp
    /// In the order of the homework's tasks.
    let taskIDs: [UUID]
}

extension Filling {
    private var today: Int64 { now.milliseconds / 86_400_000 }

    /// Nine in the morning, some days before or after today.
    private func morning(daysFromToday days: Int) -> Timestamp {
        Timestamp(milliseconds: (today + Int64(days)) * 86_400_000 + 9 * 3_600_000)
    }

    /// The time until which students have worked. It is the same all day, so that resuming an unfinished run creates
    /// nothing twice.
    private var lastMidnight: Timestamp { Timestamp(milliseconds: today * 86_400_000) }

    /// Publishes all homework, oldest first.
    func giveHandouts(_ people: [String: PersonID]) async throws -> [GivenHandout] {
        var given: [GivenHandout] = []
        for taught in school.classes where Homework.groups.contains(taught.number) {
            guard let teacher = people[taught.teachers[0].id] else { continue }
            let token = try await door.makeToken(teacher, .teacher, nil)
            let page = try await door.call(
                .get, "/v1/handouts?limit=1000&classId=source:\(taught.id)", token: token)
            let known = page["items"]?.array ?? []
            let isShowcase = taught.id == DemonstrationSchool.showcaseClassID
            for homework in Homework.all(in: taught.course.subject)
                + (isShowcase ? [.toWatch] : [])
            {
                let published = morning(daysFromToday: -homework.publishedDaysAgo)
                var handout = known.first { $0["title"]?.text == homework.title }
                if handout == nil {
                    handout = try await door.call(
                        .post, "/v1/handouts", token: token,
                        document(homework, for: taught, publishedAt: published))
                }
                guard let handout else { continue }
                given.append(
                    GivenHandout(
                        id: try handout.promisedUUID("id"), homework: homework,
                        taughtClass: taught, publishedAt: published,
                        taskIDs: try (handout["tasks"]?.array ?? []).map {
                            try $0.promisedUUID("id")
                        }))
            }
        }
        return given
    }

    private func document(
        _ homework: Homework, for taught: DemonstrationSchool.TaughtClass,
        publishedAt: Timestamp
    ) -> JSONValue {
        let dueAt = publishedAt.adding(minutes: homework.daysToDo * 24 * 60)
        return [
            "classId": .text("source:\(taught.id)"), "title": .text(homework.title),
            "instructions": .text(homework.instructions),
            "publishAt": .text(publishedAt.description), "dueAt": .text(dueAt.description),
            "tasks": .array(
                homework.tasks.map { task in
                    switch task {
                    case .link(let title, let url):
                        ["kind": "link", "title": .text(title), "url": .text(url)]
                    case .context(let app, let path):
                        [
                            "kind": "appActivity", "bundleId": .text(app.bundleID),
                            "identifierPath": .array(path.map(JSONValue.text)),
                        ]
                    case .timedApp(let app, let minutes):
                        [
                            "kind": "timedApp", "bundleId": .text(app.bundleID),
                            "minutes": JSONValue(integerLiteral: Int64(minutes)),
                        ]
                    }
                }),
        ]
    }

    /// Moves rosters and handouts into the past; scheduled handouts stay as they are.
    func age(_ given: [GivenHandout]) async throws {
        let past = given.filter { $0.publishedAt < now }
        try await door.askAsOwner(.ageSeats(of: organizationID))
        try await door.askAsOwner(.ageKnowledgeOfSeats(of: organizationID))
        try await door.askAsOwner(
            .ageHandouts(past.map(\.id), to: past.map(\.publishedAt), of: organizationID))
        try await door.askAsOwner(.ageTasks(of: organizationID))
    }

    /// Has every student of a class with homework do it, and returns how many activities that created.
    func doHomework(
        _ given: [GivenHandout], _ people: [String: PersonID]
    ) async throws -> Int {
        var count = 0
        for student in school.students {
            let own = given.filter { handout in
                handout.publishedAt < now && !handout.homework.isToWatch
                    && handout.taughtClass.students.contains { $0.id == student.id }
            }
            guard !own.isEmpty, let id = people[student.id] else { continue }
            count += try await doHomework(own, of: student, id)
        }
        return count
    }

    private func doHomework(
        _ given: [GivenHandout], of student: DemonstrationSchool.Person, _ id: PersonID
    ) async throws -> Int {
        var work = StudentWork(of: student)
        var weekly = StudentWork(of: student, isWeekly: true)
        var uploads: [String: [JSONValue]] = [:]
        var outcomes: [(task: UUID, outcome: StudentWork.Outcome)] = []
        func add(_ handout: GivenHandout, _ work: inout StudentWork) {
            for (task, taskID) in zip(handout.homework.tasks, handout.taskIDs) {
                guard let target = task.target else {
                    outcomes.append(
                        (taskID, work.visit(from: handout.publishedAt, to: lastMidnight)))
                    continue
                }
                let outcome = work.work(
                    at: target.context, from: handout.publishedAt, to: lastMidnight)
                uploads[target.app.bundleID, default: []] += outcome.activities
                outcomes.append((taskID, outcome))
            }
        }
        for handout in given where !handout.homework.isWeekly { add(handout, &work) }
        for handout in given where handout.homework.isWeekly && !weekly.isIll() {
            add(handout, &weekly)
        }
        if let book = DemonstrationApp.reader.context(["basic-arithmetic"]),
            let reading = work.readForFun(book, before: lastMidnight)
        {
            uploads[DemonstrationApp.reader.bundleID, default: []].append(reading)
        }
        for (bundleID, activities) in uploads where !activities.isEmpty {
            let token = try await door.makeToken(id, .student, bundleID)
            try await door.call(
                .post, "/v1/activities", token: token, ["activities": .array(activities)])
        }
        try await mark(outcomes, of: id)
        return uploads.values.reduce(0) { $0 + $1.count }
    }

    /// Marks what the student opened and did, and moves that to the right time.
    private func mark(
        _ outcomes: [(task: UUID, outcome: StudentWork.Outcome)], of student: PersonID
    ) async throws {
        let begun = outcomes.filter { $0.outcome.openedAt != nil }
        guard !begun.isEmpty else { return }
        let token = try await door.makeToken(student, .student, nil)
        for (task, outcome) in begun {
            let mark = outcome.doneAt == nil ? "opened" : "done"
            try await door.call(.put, "/v1/assignments/\(task)/\(mark)", token: token)
        }
        try await door.askAsOwner(
            .ageAssignments(
                of: student, tasks: begun.map(\.task),
                openedAt: begun.map { $0.outcome.openedAt ?? now },
                doneAt: begun.map { $0.outcome.doneAt ?? now }, in: organizationID))
    }
}
