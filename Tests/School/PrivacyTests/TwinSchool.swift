import Crypto
import HTTPWire
import JSONBytes
import Postgres
import School
import TestKit
import Values

/// A school in which twins differ in their roles and in what was given to them, and their apps make the same calls.
final class TwinSchool {
    /// Stands for the first handout of the school in the paths of calls.
    static let handout = "HANDOUT"
    /// Stands for the end of what the app of each twin has read of its contexts.
    static let cursor = "CURSOR"

    /// Stands for the name by which the app knows its person.
    static let subject = "SUBJECT"

    private let service: TestSchool
    private let organization = OrganizationID(UUID.v7())
    private let owner = PersonID(UUID.v7())
    private let handout = HandoutID(UUID.v7())
    private let people = Twin.all.map { _ in PersonID(UUID.v7()) }
    private var cursors: [PersonID: String] = [:]

    init(_ service: TestSchool) throws {
        self.service = service
        try buildPeople()
        try buildContexts()
        try buildHandouts()
    }

    /// Records each row that is written on behalf of an app before it is answered: what is done afterwards is not done
    /// in its role. An app may measure time, and what is written reveals as much as a clock, and always the same.
    static func install(in service: TestSchool) throws {
        try service.sql("create schema if not exists test")
        try service.sql("create table test.written (what text not null)")
        try service.sql(
            """
            create function test.note() returns trigger language plpgsql security definer as $note$
            begin
                if current_setting('role', true) = 'school_app' then
                    insert into test.written values (concat(tg_op, ' ', tg_table_name));
                end if;
                return null;
            end $note$
            """)
        try service.sql("grant usage on schema test to public")
        try service.sql("grant execute on function test.note() to public")
        try service.sql(
            """
            do $do$
            declare
                name text;
            begin
                for name in select c.relname from pg_class as c
                             where c.relnamespace = 'school'::regnamespace and c.relkind in ('r', 'p')
                               and not c.relispartition loop
                    execute format('create trigger note after insert or update or delete on school.%I
                                        for each row execute function test.note()', name);
                end loop;
            end $do$
            """)
    }

    // MARK: Living

    /// Carries out the plan; returns the first difference between the twins.
    func live(_ plan: TwinPlan) async throws -> String? {
        for step in plan.steps {
            switch step {
            case .call(let call):
                if let difference = try await compare(call) { return difference }
            case .locks(let isLocked):
                try service.sql(
                    """
                    update school.handout set locked_at = case when \(isLocked) then school.moment() end
                     where organization_id = \(organization)
                    """)
            case .switches(let isOn):
                try service.sql(
                    """
                    update school.organization set is_student_progress_enabled = \(isOn)
                     where organization_id = \(organization)
                    """)
            case .daysPass(let days):
                try service.sql(
                    """
                    update school.context set saved_at = saved_at - make_interval(days => \(Int32(days)))
                     where organization_id = \(organization)
                    """)
                try service.removeOutdated()
            }
        }
        return nil
    }

    /// All who may see the same should get the same.
    private func compare(_ call: TwinCall) async throws -> String? {
        var first: [Bool: (twin: Twin, answer: String)] = [:]
        for (twin, person) in zip(Twin.all, people) {
            let answer = try await answers(to: call, for: person)
            let group = call.mayShowWhatIsTaught && twin.seesWhatIsTaught
            guard let known = first[group] else {
                first[group] = (twin, answer)
                continue
            }
            if answer != known.answer {
                return "\(TwinStep.call(call))\n  of \(known.twin.name):\n    \(known.answer)"
                    + "\n  of \(twin.name):\n    \(answer)"
            }
        }
        return nil
    }

    /// Everything that the app learns, page by page, and what was written meanwhile.
    private func answers(to call: TwinCall, for person: PersonID) async throws -> String {
        try service.sql("delete from test.written")
        var seen: [String] = []
        let base = call.target.replacing(Self.handout, with: handout.uuid.description)
            .replacing(Self.cursor, with: cursors[person] ?? "none")
        var target = base
        for _ in 0...call.pages {
            let answer = try await service.send(
                call.method, target, token: token(person), body: try body(of: call, for: person),
                headers: target.hasPrefix("/xapi/") ? [("X-Experience-API-Version", "2.0.0")] : [])
            seen.append(text(of: answer))
            if let end = answer.json["updatedSince"]?.text { cursors[person] = end }
            guard let next = answer.json["nextPageToken"]?.text else { break }
            target = base + "&pageToken=\(next)"
        }
        // Denials are collected for a minute, whoever asked for what: the trail is not part of an answer's work.
        let written = try service.sql(
            """
            select coalesce(string_agg(w.what || ' × ' || w.times, ', ' order by w.what), 'nothing') as what
              from (select what, count(*) as times from test.written
                     where what not like '% audit%' group by what) as w
            """)
        return seen.joined(separator: "\n") + "\nwritten before: " + (try written[0].text("what"))
    }

    private func body(of call: TwinCall, for person: PersonID) throws -> [UInt8] {
        guard call.body.contains(Self.subject) else { return Array(call.body.utf8) }
        let subject = try service.sql(
            "select school.subject_of(\(organization), \(person), \(Cast.apps[0])) as subject")
        return Array(call.body.replacing(Self.subject, with: try subject[0].text("subject")).utf8)
    }

    /// An answer without what differs between any two requests: its id and the time.
    private func text(of answer: Answer) -> String {
        let headers = answer.headers.filter {
            !["x-request-id", "date", "x-experience-api-consistent-through"]
                .contains($0.name.lowercased())
        }
        .map { "\($0.name): \($0.value)" }
        let body = answer.text
            .replacing(#/"instance":"[^"]*"/#, with: "\"instance\":\"…\"")
            // In the errors of the Roster API the request has its number elsewhere.
            .replacing(#/"errors":\[\{"id":"[^"]*"/#, with: "\"errors\":[{\"id\":\"…\"")
            .replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#, with: "…")
        let whole = "\(answer.status) \(headers.joined(separator: "; ")) \(body)"
        guard answer.json["updatedSince"] != nil else { return whole }
        // Where a page of changes ends is a time in microseconds.
        return whole.replacing(#/"(updatedSince|nextPageToken)":"[^"]*"/#, with: "…")
            .replacing(#/(updatedSince|pageToken)=[^&>]*/#, with: "…")
    }

    private func token(_ person: PersonID) -> String { "token of the app of \(person.uuid)" }

    // MARK: Building

    private func buildPeople() throws {
        let everybody = people.map(\.uuid) + [owner.uuid]
        let roles = Twin.all.map(\.role) + ["teacher"]
        let paused = Twin.all.map { $0.isPaused ? "paused" : "" } + [""]
        let location = LocationID(UUID.v7())
        let domain = "\(organization.uuid).example"
        try service.sql(
            """
            with made as (
                insert into school.organization (organization_id, name, time_zone, is_student_progress_enabled)
                values (\(organization), 'Twins', 'Europe/Berlin', true)
            ), reserved as (
                insert into school.domain_directory (domain, organization_id) values (\(domain), \(organization))
            ), named as (
                insert into school.organization_domain (organization_id, domain)
                values (\(organization), \(domain))
            ), placed as (
                insert into school.location (organization_id, location_id, name)
                values (\(organization), \(location), 'Main building')
            ), who as (
                select id, role, paused = 'paused' as is_paused, concat(id, '@', \(domain)::text) as managed_id
                  from unnest(\(everybody), \(roles), \(paused)) as w (id, role, paused)
            ), known as (
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                select managed_id, \(organization), id from who
            ), born as (
                insert into school.person (organization_id, person_id, given_name, family_name, managed_id,
                                           is_progress_paused)
                select \(organization), id, 'Twin', 'Example', managed_id, is_paused from who
            )
            insert into school.person_role (organization_id, person_id, location_id, role)
            select \(organization), id, \(location), role from who
            """)
        try service.sql(
            """
            insert into school.access_token (organization_id, digest, person_id, standing, app, environment,
                                             expires_at)
            select \(organization), sha256(convert_to(concat('token of the app of ', id), 'UTF8')), id, 'app',
                   \(Cast.apps[0]), 'production', now() + interval '1 year'
              from unnest(\(everybody)) as w (id)
            """)
        try service.sql(
            """
            insert into school.class (organization_id, class_id, location_id, name)
            values (\(organization), \(handout.uuid), \(location), 'Class')
            """)
        for (twin, person) in zip(Twin.all, people) where twin.sits {
            try service.sql(
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at, recorded_at, left_at)
                values (\(organization), \(handout.uuid), \(person), 'student', now() - interval '60 days',
                        now() - interval '60 days',
                        case when \(twin.hasLeft) then now() - interval '35 days' end)
                """)
        }
    }

    private func buildContexts() throws {
        for path in TwinContexts.assigned {
            let isTaught = path == TwinContexts.taught
            try service.sql(
                """
                insert into school.context (organization_id, context_id, kind, person_id, environment, bundle_id,
                                            identifier_path, locale, title, type)
                values (\(organization), gen_random_uuid(), \(isTaught ? "native" : "catalog"),
                        \(isTaught ? owner.uuid : nil), 'production', \(Cast.apps[0]), \(path),
                        \(isTaught ? "und" : "en"), 'Context', \(path.isEmpty ? "app" : "quiz"))
                """)
        }
    }

    private func buildHandouts() throws {
        try service.sql(
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, environment, title,
                                        recipients, publish_at, created_at)
            values (\(organization), \(handout), \(handout.uuid), \(owner), 'production', 'Work', 'chosen',
                    now() - interval '50 days', now() - interval '50 days')
            """)
        for (position, path) in TwinContexts.assigned.enumerated() {
            try service.sql(
                """
                insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                         bundle_id, identifier_path, context_owner_id, created_at)
                values (\(organization), \(UUID.v7()), \(handout), \(handout.uuid), \(Int32(position + 1)),
                        'appActivity', 'Task', \(Cast.apps[0]), \(path),
                        \(path == TwinContexts.taught ? owner.uuid : nil), now() - interval '50 days')
                """)
        }
        for (twin, person) in zip(Twin.all, people) where twin.isChosen {
            try service.sql(
                """
                insert into school.handout_recipient (organization_id, handout_id, person_id, created_at)
                values (\(organization), \(handout), \(person), now() - interval '50 days')
                """)
        }
    }
}
