import JSONBytes
import PrivacyRules
import School
import TestKit

/// What reports over one app, and insights, show.
extension RandomSchool {
    func checkApps(_ look: Look) async throws {
        for (classroom, id) in classes {
            let apps = try await read("/v1/classes/\(id.uuid)/apps", look)?["items"]?.array ?? []
            compare(
                Set(
                    apps.map { app in
                        Wording.app(
                            app["bundleId"]?.text == "tool:\(tool)"
                                ? Cast.tool : app["bundleId"]?.text ?? "",
                            tasks: number(app["tasks"]),
                            attempts: number(app["attempts"]),
                            seconds: number(app["durationSeconds"]),
                            students: number(app["studentsWithData"]))
                    }), oracle.apps(of: classroom, seenBy: look.viewer), look.name,
                "the apps of \(classroom)")
        }
    }

    func checkAppReports(_ look: Look) async throws {
        for (classroom, id) in classes {
            for app in Cast.apps {
                let report = try await read("/v1/classes/\(id.uuid)/apps/\(app)/report", look)
                let tasks = (report?["handouts"]?.array ?? [])
                    .flatMap { $0["tasks"]?.array ?? [] }
                compare(
                    Set(tasks.map(summary)),
                    oracle.summaries(of: classroom, in: app, seenBy: look.viewer), look.name,
                    "the report of \(classroom) in \(app)")
            }
        }
    }

    func checkAppStudents(_ look: Look) async throws {
        for (classroom, id) in classes {
            for app in Cast.apps {
                let answer = try await read("/v1/classes/\(id.uuid)/apps/\(app)/students", look)
                compare(
                    Set(
                        (answer?["items"]?.array ?? []).compactMap { student in
                            Wording.appStudent(
                                PersonName(name(student["personId"])),
                                opened: number(student["tasksOpened"]),
                                done: number(student["tasksDone"]),
                                attempts: number(student["attempts"]),
                                seconds: number(student["durationSeconds"]))
                        }), oracle.students(of: classroom, in: app, seenBy: look.viewer),
                    look.name, "the students of \(classroom) in \(app)")
            }
        }
    }

    /// Which weeks work belongs to depends on when it is due, of which the rules say nothing: insights are about those
    /// who may be compared, and never add up to more than there is to see.
    func checkInsights(_ look: Look) async throws {
        var answered: Set<String> = []
        for (classroom, id) in classes {
            let target = "/v1/classes/\(id.uuid)/insights"
            guard let answer = try await read(target, look) else { continue }
            answered.insert("\(classroom)")
            let known = oracle.compared(in: classroom, seenBy: look.viewer)
            for student in answer["students"]?.array ?? [] {
                func sum(_ member: String) -> Int {
                    number(student["thisWeek"]?[member]) + number(student["before"]?[member])
                }
                let most = known[PersonName(name(student["personId"]))]
                guard let most, sum("tasks") <= most.tasks, sum("done") <= most.done,
                    sum("durationSeconds") <= most.seconds
                else {
                    findings.append("\(look.name) sees too much in \(target): \(student)")
                    continue
                }
            }
        }
        let taught = classes.keys.filter { oracle.sees(look.viewer, $0) }.map { "\($0)" }
        compare(answered, Set(taught), look.name, "the insights of classes")
    }

    func checkTeachingInsights(_ look: Look) async throws {
        let answer = try await read("/v1/me/insights", look)
        for schoolClass in answer?["classes"]?.array ?? [] {
            let classroom = ClassName(name(schoolClass["id"]))
            let counted = ["nothingDone", "fellBehind", "spedUp"].map { number(schoolClass[$0]) }
            if counted.reduce(0, +) > oracle.compared(in: classroom, seenBy: look.viewer).count {
                findings.append("\(look.name) sees too much in GET /v1/me/insights")
            }
        }
    }

    private func number(_ member: JSONValue?) -> Int { Int(member?.double ?? 0) }
}
