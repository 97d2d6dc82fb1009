import JSONBytes
import Postgres
import RandomKit
import School
import TestKit
import Testing
import Values

@Suite("No figure is too small or too large for what is computed from it")
struct FigureTests {
    private static let extremes: [Double] = [
        .leastNonzeroMagnitude, .leastNormalMagnitude, 1e-300, 1e-16, 1e-9, 0.1, 1, 3, 1e12, 1e100,
        1e300, .greatestFiniteMagnitude,
    ]

    @Test(arguments: seeds(11..<12))
    func `a share reports its total, and the quotient where that can be computed`(
        seed: UInt64
    ) async throws {
        try await withSchool { school in
            var dice = SplitMix64(seed: seed)
            var pairs: [(Double, Double)] = Self.extremes.flatMap { figure in
                Self.extremes.map { (figure, $0) }
            }
            for _ in 0..<2000 {
                let bits = dice.next() & 0x7FFF_FFFF_FFFF_FFFF
                pairs.append((Double(bitPattern: bits), Double(bitPattern: dice.next() >> 1)))
            }
            pairs.removeAll { !$0.0.isFinite || !$0.1.isFinite }
            let rows = try school.sql(
                """
                select school.share_of(f, m) as share
                  from unnest(\(pairs.map { "\($0.0)" })::float8[], \(pairs.map { "\($0.1)" })::float8[])
                       with ordinality as p (f, m, n) order by n
                """)
            #expect(rows.count == pairs.count)
            for (row, (figure, maximum)) in zip(rows, pairs) {
                let share = try row.double("share")
                #expect((0...1).contains(share), "\(figure) of \(maximum)")
                guard figure <= maximum, maximum.isNormal, figure.isNormal else { continue }
                #expect(abs(share - figure / maximum) < 1e-12, "\(figure) of \(maximum)")
            }
        }
    }

    @Test func `whatever an app sends, the answer does not reveal whether it is assigned`()
        async throws
    {
        try await withSchool { school in
            _ = try school.newHandout()
            for figure in Self.extremes {
                for maximum in Self.extremes {
                    let activity = school.attempt(
                        ranges: [[0, min(1, figure)]], primary: score("a", figure, maximum),
                        additional: [score("b", figure, maximum), quantity(figure)])
                    let assigned = try await school.upload([school.attempt(), activity])
                    let unassigned = try await school.upload(
                        [school.attempt(), activity], as: .bensApp)
                    #expect(assigned.status == 202)
                    #expect(unassigned.status == 202)
                    #expect(assigned.body == unassigned.body)
                }
            }
            #expect(try school.disagreeingFigures() == [])
        }
    }

    @Test func `whatever is stored, every report can be read`() async throws {
        try await withSchool { school in
            let handout = try school.newHandout()
            for app in [Persona.samsApp, .suesApp] {
                try await school.upload(
                    [school.attempt(primary: score("a", 1, 2), additional: [quantity(1)])], as: app)
            }
            for figure in Self.extremes {
                for maximum in Self.extremes where figure <= maximum {
                    try school.store(figure, of: maximum)
                    for call in [
                        "/v1/handouts/\(handout.id.uuid)/report",
                        "/v1/handouts/\(handout.id.uuid)/tasks/\(handout.task.uuid)/items",
                        "/v1/handouts/\(handout.id.uuid)/students/\(Persona.sam.personID.uuid)",
                        "/v1/classes/\(school.biology.uuid)/report",
                    ] {
                        let answer = try await school.get(call, as: .tom)
                        #expect(answer.status == 200, "\(call) of \(figure) in \(maximum)")
                    }
                    let own = try await school.get("/v1/me/report", as: .sam)
                    #expect(own.status == 200)
                    #expect(throws: Never.self) { try school.disagreeingFigures() }
                }
            }
        }
    }

    private func score(_ identifier: String, _ score: Double, _ maximum: Double) -> JSONValue {
        [
            "kind": "score", "identifier": .text(identifier), "title": "S",
            "score": JSONValue(floatLiteral: score), "maxScore": JSONValue(floatLiteral: maximum),
        ]
    }

    private func quantity(_ quantity: Double) -> JSONValue {
        [
            "kind": "quantity", "identifier": "q", "title": "Q",
            "quantity": JSONValue(floatLiteral: quantity),
        ]
    }
}

extension TestSchool {
    /// As if everyone's attempts had these figures, from a time when any were accepted.
    fileprivate func store(_ figure: Double, of maximum: Double) throws {
        try sql(
            """
            update school.activity_item
               set score = case when kind = 'score' then \(figure) end,
                   max_score = case when kind = 'score' then \(maximum) end,
                   quantity = case when kind = 'quantity' then case when person_id = \(id(.sam))
                                   then -\(maximum) else \(maximum) end end
            """)
        try sql(
            """
            update school.activity_part as p
               set duration_seconds = \(maximum),
                   items = jsonb_set(jsonb_set(items, '{0,score}', to_jsonb(\(figure)::numeric)),
                                     '{0,maxScore}', to_jsonb(\(maximum)::numeric))
            """)
        try sql(
            """
            update school.activity_assignment as l
               set duration_seconds = \(maximum), share = school.share_of(i.score, i.max_score),
                   primary_item = school.item_document(i)
              from school.activity_item as i
             where i.activity_id = l.activity_id and i.person_id = l.person_id and i.is_primary
            """)
    }
}
