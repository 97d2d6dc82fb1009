import JSONBytes
import RandomKit
import Testing
import Values

@Suite struct Sieving {
    private func sieved(_ document: String, _ paths: [String], by length: Int = 1000) -> String {
        var choice = JSONChoice()
        for path in paths { choice.add(path.split(separator: ".").map(String.init)[...]) }
        var sieve = JSONSieve(choice)
        let bytes = Array(document.utf8)
        var passed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
            passed += sieve.take(Array(bytes[start..<min(start + length, bytes.count)]))
        }
        return String(decoding: passed, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, ["b"], #"{"b":2}"#),
        (#"{"a":1,"b":2}"#, ["a", "b"], #"{"a":1,"b":2}"#),
        (#"{"a":1,"b":2}"#, ["c"], "{}"),
        (#"{"a":{"b":1,"c":"x,}"},"d":[1,2]}"#, ["a.c"], #"{"a":{"c":"x,}"}}"#),
        (#"{"a":[{"b":1,"c":2},{"c":3}]}"#, ["a.b"], #"{"a":[{"b":1},{}]}"#),
        (#"{"a":[[{"b":1,"c":2}],[]],"b":[]}"#, ["a.b", "b"], #"{"a":[[{"b":1}],[]],"b":[]}"#),
        (
            #"{"a":null,"b":"\"\\","c":true}"#, ["a.x", "b", "c"],
            #"{"a":null,"b":"\"\\","c":true}"#
        ),
        (#"{"\"a":1,"a":[{"x":"]"}],"\\":3}"#, ["a"], #"{"a":[{"x":"]"}]}"#),
        (#"{"a":{"b":1},"c":2}"#, ["a.b", "a"], #"{"a":{"b":1}}"#),
        (#"{"a":{"b":1,"d":2},"c":2}"#, ["a", "a.b"], #"{"a":{"b":1,"d":2}}"#),
        (
            #" { "a" : [ 1 , {"b" : 2} ] , "c" : -1.5e3 } "#, ["a.b", "c"],
            #"{"a":[1,{"b":2}],"c":-1.5e3}"#
        ),
        ("[]", ["a"], "[]"), ("17", ["a"], "17"), (#""a\"b""#, ["a"], #""a\"b""#),
    ])
    func `only the chosen members pass`(document: String, paths: [String], passed: String) {
        #expect(sieved(document, paths) == passed)
    }

    @Test(arguments: 1...7) func `the pieces in which a document comes make no difference`(
        length: Int
    ) {
        let document =
            #"{"ab":{"cd":"e\\\"f","g":[1,{"cd":{}}]},"h":[{"cd":"i"},null,{"j":1}],"k":12}"#
        let paths = ["ab.cd", "h.cd", "k"]
        #expect(sieved(document, paths, by: length) == sieved(document, paths))
        #expect(
            sieved(document, paths) == #"{"ab":{"cd":"e\\\"f"},"h":[{"cd":"i"},null,{}],"k":12}"#)
    }

    /// The same choice, made of values instead of bytes.
    private func chosen(_ value: JSONValue, _ choice: JSONChoice) -> JSONValue {
        if choice.isWhole { return value }
        if let elements = value.array { return .array(elements.map { chosen($0, choice) }) }
        guard let object = value.object else { return value }
        return .object(
            JSONObject(
                object.members.compactMap { member in
                    choice[member.key].map { (member.key, chosen(member.value, $0)) }
                }))
    }

    @Test func `any document passes as its values say`() throws {
        var random = SplitMix64(seed: 19)
        var kept = 0
        for _ in 0..<1000 {
            let document = plain(random.value())
            var choice = JSONChoice()
            for _ in 0..<3 {
                choice.add(["a", "b", "c"].shuffled(using: &random).prefix(2))
            }
            var sieve = JSONSieve(choice)
            let passed = try JSONValue(parsing: sieve.take(document.bytes))
            #expect(passed == chosen(document, choice))
            if passed.object?.isEmpty == false { kept += 1 }
        }
        #expect(kept > 20)
    }

    /// The document with the keys a, b, c … so that some are chosen.
    private func plain(_ value: JSONValue) -> JSONValue {
        if let elements = value.array { return .array(elements.map(plain)) }
        guard let object = value.object else { return value }
        let names = ["a", "b", "c", "d\"", "é"]
        return .object(
            JSONObject(zip(names, object.members).map { ($0, plain($1.value)) }))
    }
}
