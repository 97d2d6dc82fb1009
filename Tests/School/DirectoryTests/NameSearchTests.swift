import JSONBytes
import School
import TestKit
import Testing
import Values

@Suite struct SearchByNameInTheDirectory {
    @Test func `accents and case make no difference, and every word must match`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.put(
                "/v1/locations/source:n", as: .ada, json: ["name": "École élémentaire Süd"])
            _ = try await school.put(
                "/v1/courses/source:n", as: .ada,
                json: ["name": "Français", "number": "FR-7", "locationId": "source:n"])
            let term = try await school.addYear()
            let group = try await school.put(
                "/v1/classes/source:n", as: .ada,
                json: [
                    "name": "Français 7a", "displayName": "Les élèves", "locationId": "source:n",
                ])
            for (path, query, finds) in [
                ("locations", "ecole", true), ("locations", "SUD%20ecole", true),
                ("locations", "ecole%20nord", false), ("locations", "%25", false),
                ("courses", "francais", true), ("courses", "fr%207", true),
                ("classes", "FRANC", true), ("classes", "eleves", true),
                ("classes", "eleves%208", false),
            ] {
                let page = try await school.get("/v1/\(path)?q=\(query)", as: .mara)
                #expect(
                    page.items.compactMap { $0["sourceId"]?.text } == (finds ? ["n"] : []),
                    "\(query)")
            }
            #expect(
                try await school.page("/v1/terms?q=2026", as: .mara).ids == [term.text("id") ?? ""])
            #expect(try await school.page("/v1/classes?q=bio", as: .tess).ids.isEmpty)
            #expect(try await school.page("/v1/classes?q=bio", as: .tom).ids.count == 1)
            #expect(try await school.page("/v1/classes?q=franc", as: .olga).ids.isEmpty)
            #expect(
                try await school.page("/v1/classes?q=franc", as: .ada).ids == [
                    group.text("id") ?? ""
                ])
            #expect(try await school.get("/v1/classes?q=%20", as: .ada).status == 400)
        }
    }
}
