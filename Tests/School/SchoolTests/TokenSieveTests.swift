import API
import AloneKit
import Crypto
import EventLoop
import Postgres
import Synchronization
import TestKit
import Testing
import Values

@testable import School

/// Tokens among guesses.
@Suite struct TokensAmongGuesses {
    @Test(.alone) func `a flood of guesses is one query at a time, and the token in it is found`()
        async throws
    {
        try await withSchool { school in
            let right = SHA256.digest("right")
            let questions = Mutex((count: 0, running: 0, most: 0))
            let found = await school.onItsLoop {
                let sieve = TokenSieve { digests in
                    questions.withLock {
                        $0.count += 1
                        $0.running += 1
                        $0.most = max($0.most, $0.running)
                    }
                    await pause(milliseconds: 5)
                    questions.withLock { $0.running -= 1 }
                    return Set(digests.filter { $0 == right })
                }
                return await withTaskGroup(of: Int?.self) { group in
                    for number in 0..<1000 {
                        let text = number == 777 ? "right" : "guess \(number)"
                        group.addTask(executorPreference: Loop.current) {
                            let isToken = try? await sieve.isToken(SHA256.digest(text))
                            return isToken == true ? number : nil
                        }
                    }
                    return await group.reduce(into: [Int]()) { all, one in
                        if let one { all.append(one) }
                    }
                }
            }
            #expect(found == [777])
            #expect(questions.withLock { $0.most } == 1)
            #expect(questions.withLock { $0.count } <= 12)
        }
    }

    @Test func `a failed query fails those who asked, and the next ones are answered`()
        async throws
    {
        try await withSchool { school in
            let outcomes = await school.onItsLoop {
                let isFirst = Mutex(true)
                let sieve = TokenSieve { digests in
                    let fails = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if fails { throw Problem.unavailable }
                    return Set(digests)
                }
                let first = try? await sieve.isToken(SHA256.digest("a"))
                let second = try? await sieve.isToken(SHA256.digest("a"))
                return [first, second]
            }
            #expect(outcomes == [nil, true])
        }
    }
}

/// What a process remembers about tokens.
@Suite struct RememberedTokens {
    private static let caller = Caller(
        organizationID: TestIDs.hillside, personID: Persona.tom.personID, standings: [.teacher])

    @Test func `a token read before a revocation is not remembered after it`() async throws {
        try await withSchool { school in
            let known = await school.onItsLoop {
                guard let loop = Loop.current else { return [false] }
                let cache = TokenCache(loop: loop)
                cache.noteHeartbeat(sentAt: loop.now)
                let digest = SHA256.digest("token")
                let allowance = RequestLimit<AllowanceOwner>(requestsPerSecond: 0).allowance(
                    of: .init(Self.caller), holding: digest, now: loop.now)
                let end = Timestamp(milliseconds: Clock.system.now.milliseconds + 60_000)
                func keep(_ generation: Int) -> Bool {
                    cache.keep(
                        Self.caller, allowance, for: digest, until: end, readDuring: generation)
                    return cache.known(digest, at: Clock.system.now) != nil
                }
                let before = cache.generation
                cache.forget()
                return [keep(before), keep(cache.generation)]
            }
            #expect(known == [false, true])
        }
    }

    @Test func `the first call after a password change is let in, whatever was remembered`()
        async throws
    {
        try await withSchool { school in
            try school.sql(
                """
                update school.access_token set must_change_password = true
                 where digest = \(SHA256.digest(Persona.tom.token).bytes)
                """)
            // As another process does it, before this one has heard of it.
            try school.sql(
                """
                create function school.test_change() returns void language sql security definer as $$
                    update school.access_token set must_change_password = false $$
                """)
            try school.sql("grant execute on function school.test_change() to school_server")
            let database = school.database
            let must = try await school.onItsLoop { () async -> Result<[Bool], any Error> in
                do {
                    guard let loop = Loop.current else { return .success([]) }
                    let cache = TokenCache(loop: loop)
                    let authenticator = Authenticator(database: database, caches: [cache])
                    func must() async throws -> Bool {
                        cache.noteHeartbeat(sentAt: loop.now)
                        return try await authenticator.caller(
                            authorization: "Bearer \(Persona.tom.token)", from: "127.0.0.1"
                        ).mustChangePassword
                    }
                    let before = [try await must(), try await must()]
                    _ = try await database.query("select school.test_change()")
                    return .success(before + [try await must()])
                } catch {
                    return .failure(error)
                }
            }.get()
            #expect(must == [true, true, false])
        }
    }
}

/// The one transaction of a keyed request.
@Suite struct KeyedIdentity {
    @Test func `a call in it under another identity is refused, and leaves nothing behind`()
        async throws
    {
        try await withSchool { school in
            let (ada, petra) = (school.caller(.ada), school.caller(.petra))
            let database = school.database
            for other in [petra, nil] {
                let outcome = await school.onItsLoop { () async -> Result<Bool, any Error> in
                    do {
                        return .success(
                            try await database.openTransaction(as: ada) { _ in
                                _ = try await database.query(Self.rename("By Ada"), as: ada)
                                if let other {
                                    _ = try? await database.query(
                                        Self.rename("By another"), as: other)
                                } else {
                                    _ = try? await database.query("select 1 as one")
                                }
                                return true
                            })
                    } catch {
                        return .failure(error)
                    }
                }
                let error = #expect(throws: PostgresError.self) { try outcome.get() }
                guard case .misuse = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                let renamed = try school.sql(
                    "select from school.organization where name like 'By %'")
                #expect(renamed.count == 0)
            }
        }
    }

    @Test func `a call in it under the same identity joins it`() async throws {
        try await withSchool { school in
            let (ada, database) = (school.caller(.ada), school.database)
            let isDone = await school.onItsLoop {
                (try? await database.openTransaction(as: ada) { _ in
                    _ = try await database.query(Self.rename("By Ada"), as: ada)
                    return true
                }) == true
            }
            #expect(isDone)
            let renamed = try school.sql(
                "select from school.organization where name = 'By Ada'")
            #expect(renamed.count == 1)
        }
    }

    private static func rename(_ name: String) -> Statement {
        """
        update school.organization set name = \(name) where organization_id = \(TestIDs.hillside)
        returning name
        """
    }
}
