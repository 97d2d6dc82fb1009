import AloneKit
import Crypto
import FaultyWire
import Foundation
import Postgres
import School
import TestKit
import Testing
import WaitKit
import WireKit

@testable import ServerKit

/// Two processes over one database; a person locked out by it is locked out by both within a second.
@Suite(.alone, .timeLimit(.minutes(15))) struct RevocationIsHeard {
    /// Why Ada, or the school's script, may not go on.
    enum Cause: CaseIterable {
        case signOut, command, deactivation, newPassword, roles, serviceAccount

        var token: String {
            self == .serviceAccount ? Persona.provisioner.token : Persona.ada.token
        }
    }

    /// What is wrong with the connection that brings revocations to processes.
    enum Listening {
        case sound, silent, cut
    }

    /// Each cause, and each trouble once: what is heard does not depend on why it was said.
    static let cases: [(Cause, Listening)] =
        Cause.allCases.map { ($0, .sound) } + [(.signOut, .silent), (.signOut, .cut)]

    @Test(arguments: RevocationIsHeard.cases)
    func `a token is refused within a second, by every process and every loop`(
        cause: Cause, listening: Listening
    ) async throws {
        try await withInstances { school, instances in
            if cause == .serviceAccount { try giveAccount(school) }
            for round in 0..<2 {
                try await welcome(instances, cause.token)
                for instance in instances { spoil(instance, listening) }
                // Once while the last heartbeat is believed, once afterwards.
                try await Task.sleep(for: .milliseconds(round * 450))
                try revoke(school, cause)
                let since = ContinuousClock.now
                for instance in instances {
                    let last = try lastAnswer(of: instance, cause.token, since: since)
                    #expect(last < .seconds(1), "\(cause), \(listening)")
                }
                for instance in instances { instance.proxy.release() }
                try restore(school)
            }
        }
    }

    @Test func `a token read before a revocation is not remembered after it`() async throws {
        try await withInstances(1) { school, instances in
            let instance = instances[0]
            try await welcome(instances, Self.token)
            for _ in 0..<3 {
                // Everything is forgotten, so that the next request asks the database, and its answer waits.
                try school.sql("select pg_notify('school_revocation', 'all')")
                let listening = try #require(instance.listening)
                try await waitForHeartbeats(on: listening)
                let asking = instance.proxy.connections.filter { $0 !== listening && !$0.isCut }
                let before = asking.map { $0.count(.frontend) }
                for connection in asking { connection.hold([.backend]) }
                async let answer = Task.detached { try instance.get(Self.path, token: Self.token) }
                    .value
                try await eventually {
                    zip(asking, before).contains { $0.count(.frontend) > $1 }
                }
                try revoke(school, .signOut)
                try await waitForHeartbeats(on: listening)
                for connection in asking { connection.release() }
                _ = try await answer
                #expect(try instance.get(Self.path, token: Self.token).status == 401)
                try restore(school)
            }
        }
    }

    private static let token = Persona.ada.token
    private static let path = "/v1/people?limit=1"

    /// Turns the provisioner's token into that of a service account.
    private func giveAccount(_ school: TestSchool) throws {
        try school.sql(
            """
            with new as (
                insert into school.service_account
                       (organization_id, service_account_id, name, role, secret_digest)
                values (\(school.hillside.uuid), gen_random_uuid(), 'Sync', 'provisioner', sha256('secret'))
                returning service_account_id
            )
            update school.access_token as t set service_account_id = new.service_account_id
              from new where t.standing = 'provisioner'
            """)
    }

    /// Waits until every loop of every process has heard that the token is good.
    private func welcome(_ instances: [Instance], _ token: String) async throws {
        for instance in instances {
            try await eventually { instance.listening != nil }
            try await eventually {
                try (0..<8).allSatisfy { _ in
                    try instance.get(Self.path, token: token).status == 200
                }
            }
        }
    }

    /// Waits until everything announced so far has been heard: two heartbeats have passed.
    private func waitForHeartbeats(on connection: ProxiedConnection) async throws {
        let count = connection.count(.backend)
        try await eventually { connection.count(.backend) > count + 12 }
    }

    private func spoil(_ instance: Instance, _ listening: Listening) {
        switch listening {
        case .sound: break
        case .silent: instance.listening?.hold()
        case .cut: instance.listening?.cut()
        }
    }

    private func revoke(_ school: TestSchool, _ cause: Cause) throws {
        let organization = school.hillside.uuid
        let person = school.id(.ada).uuid
        switch cause {
        case .signOut:
            let digest = SHA256.digest(Array(Self.token.utf8)).bytes
            try school.sql("select school.sign_out(\(digest))")
        case .command:
            let token = SHA256.digest(Array(Self.token.utf8)).description.prefix(16)
            let rows = try school.sql(
                "select school.revoke_listed_token(\(organization), \(String(token))) as is_revoked"
            )
            try #require(try rows[0].bool("is_revoked"))
        case .deactivation:
            try school.sql(
                "update school.person set deactivated_at = now() where person_id = \(person)")
        case .newPassword:
            try school.sql(
                "select school.end_sessions_of(\(organization), array[\(person)], 'newPassword')")
        case .roles:
            try school.sql(
                """
                delete from school.person_role
                 where person_id = \(person) and role = 'administrator'
                """)
        case .serviceAccount:
            try school.sql("update school.service_account set revoked_at = now()")
        }
    }

    private func restore(_ school: TestSchool) throws {
        let person = school.id(.ada).uuid
        try school.sql("update school.service_account set revoked_at = null")
        try school.sql(
            """
            update school.person set deactivated_at = null
             where person_id = \(person) and deactivated_at is not null
            """)
        try school.sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(school.hillside.uuid), \(person), \(school.mainLocation.uuid), 'administrator')
            on conflict do nothing
            """)
        // Afterwards: giving a role revokes, too.
        try school.sql(
            """
            update school.access_token set revoked_at = null
             where person_id = \(person) or service_account_id is not null
            """)
    }

    /// Ada can only be deactivated if she is not the last one.
    private func makeAnotherAdministrator(_ school: TestSchool) throws {
        try school.sql(
            """
            insert into school.person_role (organization_id, person_id, location_id, role)
            values (\(school.hillside.uuid), \(school.id(.petra).uuid), \(school.mainLocation.uuid),
                    'administrator')
            """)
    }

    /// How long after that moment the last good answer was requested; gives up after three seconds.
    private func lastAnswer(
        of instance: Instance, _ token: String, since: ContinuousClock.Instant
    ) throws -> Duration {
        var last = Duration.zero
        var refusals = 0
        while refusals < 4, .now - since < .seconds(3) {
            let asked = ContinuousClock.now - since
            let status = try instance.get(Self.path, token: token).status
            if status == 200 { last = asked }
            refusals = [401, 403].contains(status) ? refusals + 1 : 0
        }
        return last
    }

    private func withInstances(
        _ count: Int = 2, _ body: (TestSchool, [Instance]) async throws -> Void
    ) async throws {
        try await withSchool { school in
            try makeAnotherAdministrator(school)
            var instances: [Instance] = []
            for _ in 0..<count { instances.append(try await Instance(school)) }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(school, instances)) } catch {
                outcome = .failure(error)
            }
            for instance in instances { await instance.stop() }
            try outcome.get()
        }
    }
}
