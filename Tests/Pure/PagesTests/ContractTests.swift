import Contract
import Foundation
import JSONBytes
import Shapes
import Testing

@testable import Pages

/// Pages read the API by the records of the contract, and fakes are held against it.
@Suite struct ContractRules {
    private static let root = URL(filePath: #filePath as String)
        .appending(path: "../../../../").standardized

    /// What reads JSON by the names of its members, and names calls by their paths. Forms, visits and problems have names
    /// of their own.
    private static func untyped(in text: String) -> Int {
        let others = ["form", "visit", "problems", "parameters", "headers"]
        return text.matches(of: /([A-Za-z]*)\["[A-Za-z][A-Za-z0-9]*"\]/)
            .count { !others.contains(String($0.1)) } + text.matches(of: /"\/v1\//).count
    }

    /// How many there are in each folder of `Sources/Pages`.
    private func counts() throws -> [String: Int] {
        let pages = Self.root.appending(path: "Sources/Pages")
        var counts: [String: Int] = [:]
        let files = try #require(FileManager.default.enumerator(atPath: pages.path))
        for case let file as String in files where file.hasSuffix(".swift") {
            let text = try String(
                contentsOf: pages.appending(path: file), encoding: .utf8)
            let folder = file.split(separator: "/").dropLast().joined(separator: "/")
            counts[folder.isEmpty ? "." : folder, default: 0] += Self.untyped(in: text)
        }
        return counts
    }

    /// The rows `| folder | number |` of the table in the README.
    private func ceilings() throws -> [String: Int] {
        let readme = try String(
            contentsOf: Self.root.appending(path: "Sources/Contract/README.md"), encoding: .utf8)
        let rows = readme.matches(of: /(?m)^\| `([A-Za-z\/.]+)` \| ([0-9]+) \|/)
        return Dictionary(rows.map { (String($0.1), Int($0.2) ?? 0) }) { first, _ in first }
    }

    @Test func `what pages read by names becomes less, folder by folder`() throws {
        let (counts, ceilings) = (try counts(), try ceilings())
        #expect(counts.count > 10 && ceilings.count > 10)
        #expect(ceilings["Administrators/Imports"] == 0, "it is done")
        for (folder, count) in counts.sorted(by: { $0.key < $1.key }) {
            let ceiling = ceilings[folder] ?? 0
            #expect(
                count <= ceiling,
                "\(folder) reads \(count) members and paths by their names, and may only \(ceiling): use the records of the contract."
            )
            #expect(
                count >= ceiling,
                "\(folder) is better than the table in Sources/Contract/README.md says: | `\(folder)` | \(count) |"
            )
        }
        for folder in ceilings.keys where counts[folder] == nil {
            Issue.record("there is no folder \(folder)")
        }
    }

    @Test func `a folder that is done reads no JSON`() throws {
        let done = try ceilings().filter { $0.value == 0 && $0.key.contains("/Imports") }.keys
        #expect(!done.isEmpty)
        for folder in done {
            let path = Self.root.appending(path: "Sources/Pages/\(folder)").path
            for name in try FileManager.default.contentsOfDirectory(atPath: path) {
                let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
                #expect(!text.contains("JSONValue"), "\(folder)/\(name)")
            }
        }
    }

    @Test func `a wrong fake is found`() {
        let call = "GET /v1/imports"
        let right = FakeAPI.answer(ListPage([FakeImports.summary(.planned)]))
        #expect(FakeAPI.findings(call, right) == [])
        func changed(_ change: (inout JSONObject) -> Void) -> FakeAPI.Answer {
            var item = right.body["items"]?[0]?.object ?? JSONObject()
            change(&item)
            return (200, ["items": [.object(item)]])
        }
        let unknown = changed { $0["stat"] = "planned" }
        #expect(
            FakeAPI.findings(call, unknown) == [
                "GET /v1/imports/items/0/stat: This field does not exist. Check the spelling."
            ])
        let missing = changed { $0["status"] = nil }
        #expect(
            FakeAPI.findings(call, missing) == [
                "GET /v1/imports/items/0/status: This field is required."
            ])
        let wrong = changed { $0["errorCount"] = "3" }
        #expect(FakeAPI.findings(call, wrong).count == 1)
        #expect(FakeAPI.findings("GET /v1/imports/i1", right).isEmpty == false, "another call")
        #expect(FakeAPI.findings("GET /v1/other", unknown) == [], "not of the contract yet")
        #expect(FakeAPI.findings(call, FakeAPI.problem(409, "a_code")) == [])
        #expect(FakeAPI.unknownParameters(call, query: ["limit", "size"]) == ["size"])
    }

    @Test func `a wrong fake fails the test that has it`() {
        withKnownIssue {
            _ = FakeAPI(["GET /v1/imports": (200, ["items": [["id": "i1"]]])])
        }
    }

    @Test func `a page does not show a document in which something is missing`() async throws {
        let whole = FakeImports.details(.planned) { _ in }
        #expect(Document<ImportDetails>(whole.json) != nil)
        for field in ImportDetails.declaration.object.fields {
            var object = whole.json.object ?? JSONObject()
            object[field.name] = nil
            let isShown = Document<ImportDetails>(.object(object)) != nil
            #expect(isShown == field.shape.takesNull, "\(field.name) is missing")
            object[field.name] = .object(JSONObject())
            #expect(Document<ImportDetails>(.object(object)) == nil, "\(field.name) is wrong")
        }
    }

    @Test func `a word of another version is read as it is`() throws {
        var object = try #require(FakeImports.summary(.planned).json.object)
        object["status"] = "resting"
        let document = try #require(Document<ImportSummary>(.object(object)))
        #expect(document.status.known == nil && document.status.text == "resting")
        #expect(document.state == .running)
    }
}
