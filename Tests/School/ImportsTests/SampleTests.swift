import Archive
import Contract
import Files
import Foundation
import JSONBytes
import Postgres
import TestKit
import Testing

@testable import Imports

/// The archives that show a format are taken by the door that they are made for.
@Suite struct Samples {
    @Test(arguments: ImportFormat.allCases)
    func `an example is planned with nothing left out, and applied`(format: ImportFormat)
        async throws
    {
        try await withSchool { school in
            let path = "/v1/import-templates?format=\(format.rawValue)"
            let answer = try await school.get("\(path)&example=true", as: .petra)
            #expect(answer.status == 200 && answer.header("content-type") == "application/zip")
            #expect(
                answer.header("content-disposition")
                    == "attachment; filename=\"\(format.rawValue)-example.zip\"")
            for isStrict in [false, true] {
                let plan = try await school.importArchive(
                    answer.body, mode: isStrict ? "preview&strict=true" : "preview")
                #expect(plan.status == "planned", "\(plan)")
                #expect(plan["format"]?.text == format.rawValue)
                #expect(plan["tallies"] == [] && plan["warnings"] == [], "\(plan)")
                let leftOut = plan["files"]?.array?.map { $0["leftOut"] } ?? []
                #expect(!leftOut.isEmpty && leftOut.allSatisfy { $0 == 0 })
                #expect(plan.newPeople == 5)
            }
            let done = try await school.importArchive(answer.body)
            #expect(done.status == "succeeded")
            #expect(try school.seats(of: "S3") == "student in K2")
            #expect(try school.seats(of: "T1") == "teacher in K1")
            #expect(try school.person("S2").text("family_name") == "Weiß")
        }
    }

    @Test(arguments: ImportFormat.allCases)
    func `a template has all files with nothing but their headers`(format: ImportFormat)
        async throws
    {
        try await withSchool { school in
            let path = "/v1/import-templates?format=\(format.rawValue)"
            let answer = try await school.get(path, as: .ada)
            #expect(answer.status == 200)
            let plan = try await school.importArchive(answer.body, mode: "preview")
            #expect(plan.status == "failed")
            #expect(plan["errors"]?.array?.map { $0["code"] } == ["no_people"], "\(plan)")
            for persona in [Persona.mara, .tom, .sam, .exporter] {
                #expect(try await school.get(path, as: persona).status == 403, "\(persona)")
            }
            let unknown = try await school.get("/v1/import-templates?format=xls", as: .ada)
            #expect(unknown.status == 400)
        }
    }
}
