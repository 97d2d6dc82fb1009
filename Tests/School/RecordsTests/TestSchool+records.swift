import Archive
import Foundation
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

/// The files of an archive by their names.
func unpacked(_ bytes: [UInt8]) throws -> [String: String] {
    let path = FileManager.default.temporaryDirectory
        .appending(path: "person-\(Foundation.UUID().uuidString).zip").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(filePath: path))
    let reader = try ZipReader(path: path)
    var files: [String: String] = [:]
    for entry in reader.entries {
        files[entry.name] = String(decoding: try reader.read(entry), as: UTF8.self)
    }
    return files
}

extension TestSchool {
    func path(_ persona: Persona, _ call: String) -> String {
        "/v1/people/\(id(persona).uuid)/\(call)"
    }

    /// Leaves something of Sam and of Tom wherever people leave something; returns Tom's published handout.
    @discardableResult
    func liveALittle() async throws -> GivenHandout {
        let given = try newHandout(to: [.sam, .sue])
        try await upload([attempt(primary: Self.score)])
        try await upload([attempt(primary: Self.score)], as: .suesApp)
        try sql(
            """
            insert into school.assignment (organization_id, task_id, person_id, opened_at)
            select organization_id, task_id, unnest(array[\(id(.sam)), \(id(.sue))]), now()
              from school.task
            """)
        for persona in [Persona.sam, .tom, .sue] {
            _ = try await send(
                "POST", "/v1/sign-in", token: nil,
                body: Array(
                    #"{"managedId": "\#(persona.managedID)", "password": "\#(Persona.password)"}"#
                        .utf8), headers: [("Content-Type", "application/json")])
        }
        _ = try await get("/v1/developer-teams", as: .sam)
        try await draft(by: .tom, to: [.sue])
        try sql(
            """
            insert into school.context (organization_id, context_id, kind, environment, bundle_id,
                                        identifier_path, locale, person_id, title, type)
            select \(hillside), gen_random_uuid(), 'native', 'production', \(quizzler), '{own}', 'en', p,
                   'Own', 'quiz'
              from unnest(array[\(id(.sam)), \(id(.tom)), \(id(.sue))]) as p
            """)
        try sql(
            """
            insert into school.import (organization_id, import_id, mode, status, standing, person_id,
                                       archive_bytes)
            values (\(hillside), gen_random_uuid(), 'preview', 'planned', 'administrator', \(id(.tom)), 1)
            """)
        try talk(at: given.id)
        try mark(given.id)
        try liveWithOthers()
        return given
    }

    /// Sam and Tom write to each other about a handout, and both have read it.
    private func talk(at handout: HandoutID) throws {
        try sql(
            """
            insert into school.comment (organization_id, comment_id, handout_id, person_id, author_id, position, text)
            select \(hillside), gen_random_uuid(), \(handout), \(id(.sam)), a.id, a.place, 'Well, ' || a.place
              from unnest(array[\(id(.sam)), \(id(.tom))]::uuid[]) with ordinality as a (id, place)
            """)
        try sql(
            """
            insert into school.comment_seen (organization_id, handout_id, person_id, reader_id, position)
            select \(hillside), \(handout), \(id(.sam)), r, 2
              from unnest(array[\(id(.sam)), \(id(.tom))]::uuid[]) as r
            """)
    }

    /// Tom gave Sam and Sue a mark for a handout, and drafted another for Sam.
    private func mark(_ handout: HandoutID) throws {
        try sql(
            """
            insert into school.mark (organization_id, mark_id, handout_id, person_id, author_id, points,
                                     maximum_points, given_at)
            select \(hillside), gen_random_uuid(), \(handout), s, \(id(.tom)), 7.5, 10, now()
              from unnest(array[\(id(.sam)), \(id(.sue))]::uuid[]) as s
            """)
        try sql(
            """
            insert into school.mark_draft (organization_id, mark_draft_id, handout_id, person_id, author_id, points,
                                           replaces)
            values (\(hillside), gen_random_uuid(), \(handout), \(id(.sam)), \(id(.tom)), 8, 1)
            """)
    }

    /// What others keep of Sam and of Sue: licences, imports, answers.
    private func liveWithOthers() throws {
        try newApp()
        try sql(
            """
            insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
            select \(hillside), gen_random_uuid(), '1', \(mainLocation), p
              from unnest(array[\(id(.sam)), \(id(.sue))]) as p
            """)
        try sql(
            """
            insert into school.import_change (organization_id, import_id, position, file, change, source_id,
                                              person_source_id)
            select organization_id, import_id, c.position, c.file, 'created', c.source_id, c.person_source_id
              from school.import
             cross join (values (1, 'students.csv', 'sis-sam', null), (2, 'rosters.csv', '1', 'sis-sue'))
                     as c (position, file, source_id, person_source_id)
            """)
        try sql(
            """
            insert into school.import_problem (organization_id, import_id, position, code, detail)
            select organization_id, import_id, p.position, 'duplicate_id', 'There is "' || p.name || '" already.'
              from school.import
             cross join (values (1, 'sis-sam'), (2, 'sis-sue')) as p (position, name)
            """)
        try sql(
            """
            insert into school.idempotency_key (organization_id, caller, route, key, request_digest, status,
                                                headers, body)
            select \(hillside), caller || '/administrator/production//', 'POST /v1/people', 'key', sha256(''), 201,
                   array['Location', '/v1/people/' || told], convert_to('{"id": "' || told || '"}', 'UTF8')
              from (values (\(id(.ada).uuid.description), \(id(.sam).uuid.description)),
                           (\(id(.petra).uuid.description), \(id(.tom).uuid.description)),
                           (\(id(.tom).uuid.description), \(id(.sue).uuid.description))) as k (caller, told)
            """)
    }

    /// Quizzler, bought ten times.
    func newApp() throws {
        try sql(Flaw.app)
        try sql(Flaw.pool)
    }

    private static let score: JSONValue = [
        "kind": "score", "identifier": "s", "title": "Score", "score": 3, "maxScore": 4,
    ]

    private func draft(by author: Persona, to chosen: [Persona]) async throws {
        let answer = try await post(
            "/v1/handouts", as: author,
            json: [
                "classId": .text(biology.uuid.description), "title": "Draft",
                "recipients": .array(chosen.map { .text(id($0).uuid.description) }),
                "tasks": [["kind": "link", "url": "https://example.org/", "title": "Read"]],
            ])
        #expect(answer.status == 201, "\(answer.text)")
    }

    /// The tables in whose rows a text occurs, and in how many.
    func occurrences(of text: String) throws -> [String: Int] {
        let tables = try sql(
            """
            select relname::text as name from pg_class
             where relnamespace = 'school'::regnamespace and relkind in ('r', 'p') and not relispartition
            """
        ).map { try $0.text("name") }
        try sql(
            """
            create or replace function public.occurrences(name text, wanted text) returns bigint
                language plpgsql as $$
            declare
                found bigint;
            begin
                execute format('select count(*) from school.%I as t
                                 where strpos(t::text, $1) > 0
                                    or strpos(t::text, encode(convert_to($1, ''UTF8''), ''hex'')) > 0', name)
                   into found using wanted;
                return found;
            end $$
            """)
        var counts: [String: Int] = [:]
        for table in tables {
            let count = try sql("select public.occurrences(\(table), \(text)) as count")[0]
                .int("count")
            if count > 0 { counts[table] = count }
        }
        return counts
    }
}
