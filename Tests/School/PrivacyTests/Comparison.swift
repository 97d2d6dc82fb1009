import PrivacyRules
import TestKit

/// What a viewer saw, compared with what the rules allow.
extension RandomSchool {
    /// Adds a finding for what should not have been seen, and one for what was missing.
    func compare(
        _ seen: Set<String>, _ expected: Set<String>, _ who: String, _ where: String
    ) {
        let leaked = seen.subtracting(expected).sorted()
        let missing = expected.subtracting(seen).sorted()
        guard !leaked.isEmpty || !missing.isEmpty else { return }
        var finding = "\(who) by \(`where`):"
        if !leaked.isEmpty { finding += "\n    sees against the rules: \(leaked)" }
        if !missing.isEmpty { finding += "\n    does not see: \(missing)" }
        findings.append(finding)
    }

    /// No answer shows an attempt to a person who may not see it, wherever in the answer it is.
    func look(through answer: [UInt8], for allowed: Set<Int>, _ who: String, _ where: String) {
        let leaked = mark.all(in: answer).subtracting(allowed)
        guard !leaked.isEmpty else { return }
        findings.append(
            "\(who) by \(`where`): finds items \(leaked.sorted()) of attempts of others")
    }
}

/// Everyone who looks, by a name for findings.
enum Onlooker {
    static let viewers: [(name: String, viewer: Viewer)] = World.allCases.flatMap { world in
        Cast.teachers.map { ("\($0) in \(world)", Viewer.teacher($0, world)) }
            + Cast.students.map { ("\($0) in \(world)", Viewer.student($0, world)) }
    }
}
