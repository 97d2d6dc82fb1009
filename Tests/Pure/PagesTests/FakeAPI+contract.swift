import Contract
import HTTPWire
import JSONBytes
import Shapes
import Testing

extension FakeAPI {
    /// Where a made-up answer to a call of the contract is not what the API answers; none for other calls.
    ///
    /// Ids and times may be short words: a fake is read more often than a real answer.
    static func findings(_ line: String, _ answer: Answer) -> [String] {
        guard (200..<300).contains(answer.status),
            let shape = DeclaredCalls.all.first(where: { $0.isMade(by: line) })?.shape
        else { return [] }
        return shape.check(answer.body).filter { $0.code != "malformed" }
            .map { "\(line)\($0.pointer): \($0.detail)" }
    }

    /// Every fake is held against the contract, in whichever test it is.
    static func expectContract(_ answers: [String: Answer]) {
        for (line, answer) in answers {
            for finding in findings(line, answer) { Issue.record("the fake of \(finding)") }
        }
    }

    /// A call that is made as the contract says: with parameters that it knows.
    static func unknownParameters(_ line: String, query: [String]) -> [String] {
        guard let call = DeclaredCalls.all.first(where: { $0.isMade(by: line) }) else { return [] }
        return query.filter { !call.queryNames.contains($0) }
    }
}

extension DeclaredCall {
    /// Whether `GET /v1/imports/i1` is this call.
    fileprivate func isMade(by line: String) -> Bool {
        let own = "\(method.name) \(path)".split(separator: "/")
        let other = line.split(separator: "/")
        return own.count == other.count
            && zip(own, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}
