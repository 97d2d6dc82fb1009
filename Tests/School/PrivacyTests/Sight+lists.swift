import JSONBytes
import PrivacyRules
import School
import TestKit
import Values

/// What lists and the pages of one handout show to its teachers and its students.
extension RandomSchool {
    /// How many students a handout has, and how many are done: nobody is counted who is out of sight.
    func checkCounts(_ look: Look) async throws {
        for order in ["newest", "due"] {
            let target = "/v1/handouts?limit=1000&counts=true&order=\(order)"
            let items = try await read(target, look)?["items"]?.array ?? []
            compare(Set(items.map(counted)), oracle.counts(seenBy: look.viewer), look.name, target)
        }
    }

    /// Which handouts the overview names depends on what is due and how long ago something was done, of which the
    /// rules say nothing: it holds some of what may be there, and nothing else.
    func checkOverview(_ look: Look) async throws {
        let overview = try await read("/v1/me/overview", look)
        let lists = ["dueThisWeek", "late", "toReview"].compactMap { overview?[$0]?.array }
        let open = oracle.openCounts(seenBy: look.viewer)
        compare(
            Set(lists.joined().map(counted)).union(open), open, look.name, "GET /v1/me/overview")
    }

    /// What is new depends on times, of which the rules say nothing. It names published handouts alone, and of each no
    /// more students who finished it than its list counts.
    func checkNews(_ look: Look) async throws {
        let items = try await read("/v1/me/news?limit=1000", look)?["items"]?.array ?? []
        let all = try await read("/v1/handouts?limit=1000&counts=true", look)?["items"]?.array ?? []
        let visible = oracle.published(seenBy: look.viewer)
        var finished: [HandoutName: Int] = [:]
        for item in items {
            guard let id = item["handoutId"]?.text.flatMap({ UUID($0) }) else { continue }
            let handout = HandoutName(name(id))
            if !visible.contains(handout) {
                findings.append("\(look.name) reads of \(handout): GET /v1/me/news")
            }
            if ["finished", "allFinished", "doneAgain"].contains(item["kind"]?.text) {
                finished[handout, default: 0] += Int(item["studentCount"]?.int64 ?? 0)
            }
        }
        for handout in all {
            let known = HandoutName(name(handout["id"]))
            let done = Int(handout["counts"]?["done"]?.int64 ?? -1)
            if let count = finished[known], count > done {
                findings.append(
                    "\(look.name) reads that \(count) finished \(known), not \(done): GET /v1/me/news"
                )
            }
        }
    }

    private func counted(_ handout: JSONValue) -> String {
        Wording.counted(
            HandoutName(name(handout["id"])),
            assigned: Int(handout["counts"]?["assigned"]?.int64 ?? -1),
            done: Int(handout["counts"]?["done"]?.int64 ?? -1))
    }

    func checkOwnHandouts(_ look: Look) async throws {
        guard case .student(let student, let world) = look.viewer else { return }
        var seen: Set<String> = []
        for id in handouts.values {
            let answer = try await read("/v1/me/handouts/\(id.uuid)", look)
            seen.formUnion((answer?["assignments"]?.array ?? []).map(listed))
        }
        compare(
            seen, oracle.list(of: student, in: world), look.name, "GET /v1/me/handouts/{id}")
    }

    func checkOwnAttempts(_ look: Look) async throws {
        guard case .student(let student, _) = look.viewer else { return }
        for (handout, id) in handouts {
            let answer = try await read("/v1/me/handouts/\(id.uuid)/attempts", look)
            compare(
                Set((answer?["tasks"]?.array ?? []).flatMap { attempts($0, of: student) }),
                oracle.attempts(of: student, in: handout, seenBy: look.viewer), look.name,
                "the own attempts in \(handout)")
        }
    }
}
