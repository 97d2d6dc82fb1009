import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// An administrator undoes an import by a call, and everything says so afterwards.
@Suite struct UndoCalls {
    @Test func `a dry run says what would be put back, and the call does it`() async throws {
        try await withSchool { school in
            _ = try await school.apply(.small)
            let before = try school.content()
            let wrong = try await school.apply(UndoneImports.changed)
            let after = try school.content()
            let path = wrong.answer.location
            let dry = try await school.post("\(path)/undo?dryRun=true", as: .ada)
            #expect(dry.status == 200, "\(dry.text)")
            #expect(dry.json["undone"] == false && dry.json["obstacles"] == [])
            let created: JSONValue = ["kind": "person", "change": "created", "count": 1]
            #expect(dry.json["rows"]?.array?.contains(created) == true, "\(dry.text)")
            try school.expectContent(after)
            #expect(try await school.get(path, as: .ada).json["undoneAt"] == .null)

            let done = try await school.post("\(path)/undo", as: .ada)
            #expect(done.status == 200 && done.json["undone"] == true)
            #expect(done.json["rows"] == dry.json["rows"])
            try school.expectContent(before)
            let again = try await school.post("\(path)/undo", as: .ada)
            #expect(again.status == 409 && again.code == "import_undone")
        }
    }

    @Test func `afterwards the import, the list and the audit say that it is undone, and by whom`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.apply(.small)
            let wrong = try await school.apply(UndoneImports.changed)
            let path = wrong.answer.location
            let tag = try await school.get(path, as: .petra).header("etag")
            #expect(try await school.post("\(path)/undo", as: .ada).status == 200)
            let found = try await school.get(path, as: .petra)
            #expect(found.json["status"] == "undone" && found.header("etag") != tag)
            #expect(found.json["undoneAt"]?.text != nil)
            let ada = school.id(.ada).uuid.description
            #expect(found.json["undoneBy"]?["id"]?.text == ada)
            let list = try await school.get("/v1/imports", as: .petra).items
            #expect(list.map { $0["status"] } == ["undone", "succeeded"])
            let events = try await school.get("/v1/audit-events?kind=import", as: .ada).items
            let event = try #require(events.first { $0["details"]?["change"] == "undone" })
            #expect(event["personId"]?.text == ada && event["standing"] == "administrator")
            #expect(event["subjectId"] == found.json["id"])
        }
    }

    @Test func `what was built on it is named by a dry run, and the call changes nothing`()
        async throws
    {
        try await withSchool { school in
            _ = try await school.apply(.small)
            let wrong = try await school.apply(UndoneImports.changed)
            let path = wrong.answer.location
            try school.sql("update school.class set room = '7' where source_id = 'K3'")
            let before = try school.content()
            let dry = try await school.post("\(path)/undo?dryRun=true", as: .ada)
            #expect(dry.status == 200 && dry.json["rows"] == [])
            let obstacle = dry.json["obstacles"]?[0]
            #expect(obstacle?["kind"] == "class" && obstacle?["reason"] == "changed")
            #expect(obstacle?["count"] == 1 && obstacle?["example"]?.text != nil)
            let refused = try await school.post("\(path)/undo", as: .ada)
            #expect(refused.status == 409 && refused.code == "import_built_on")
            try school.expectContent(before)
        }
    }

    @Test func `what changed nothing, waits for others or is too old is refused`() async throws {
        try await withSchool { school in
            let preview = try await school.apply(.small, mode: "preview")
            let nothing = try await school.post("\(preview.answer.location)/undo", as: .ada)
            #expect(nothing.code == "import_not_applied")
            let first = try await school.apply(.small)
            let path = first.answer.location
            try school.sql(
                """
                insert into school.import (organization_id, import_id, mode, status, standing, archive_bytes)
                values (\(school.hillside), school.new_id(), 'apply', 'queued', 'later', 1)
                """)
            let busy = try await school.post("\(path)/undo", as: .ada)
            #expect(busy.status == 409 && busy.code == "imports_under_way")
            try school.sql("delete from school.import where standing = 'later'")
            try school.sql("delete from school.import_undo")
            let old = try await school.post("\(path)/undo?dryRun=true", as: .ada)
            #expect(old.status == 409 && old.code == "import_not_kept")
        }
    }

    @Test func `nobody else undoes an import`() async throws {
        try await withSchool { school in
            let done = try await school.apply(.small)
            let path = "\(done.answer.location)/undo?dryRun=true"
            #expect(try await school.post(path, as: .ada).status == 200, "it could be undone")
            for persona in [Persona.petra, .provisioner, .mara, .tom, .sam, .exporter] {
                #expect(try await school.post(path, as: persona).status == 403, "\(persona)")
            }
            #expect(try await school.post(path, as: .olga).status == 404)
            let call: Statement = "select outcome from school.undo_own_import(\(done.id), true)"
            let own = try school.sql(call, as: school.caller(.ada))
            #expect(try own[0].text("outcome") == "undone")
            let theirs = try school.sql(call, as: school.caller(.olga))
            #expect(try theirs[0].text("outcome") == "unknown")
            #expect(throws: PostgresError.self) {
                try school.sql(call, as: school.caller(.petra))
            }
        }
    }
}
