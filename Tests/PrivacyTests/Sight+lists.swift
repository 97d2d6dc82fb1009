import JSONBytes
import PrivacyRules
import School
import TestKit

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

    private func counted(_ handout: JSONValue) -> String {
        Wording.counted(
            HandoutName(name(handout["id"])),
            assigned: Int(handout["counts"]?["assigned"]?.int64 ?? -1),
            done: Int(handout["counts"]?["done"]?.int64 ?? -1))
    }
}
