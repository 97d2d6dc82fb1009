import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// What tools report of a student's work (Assignment and Grade Services 2.0 sections 3.3 and 3.4). A score becomes an
/// activity by the rule for what apps report: what was not assigned is dropped, and the answer does not show it. A score
/// of the task itself is the primary item of the attempt, one of a line item that the tool made an additional item.
extension Tools {
    var scoresEndpoint: Endpoint {
        Endpoint(
            .post, "\(Self.classPath)/line-items/{lineItemId}/scores",
            "Report a student's score for one of your line items, as a tool",
            description:
                "Only scores of tasks that the student has are kept, and no answer shows which those are.",
            for: [.tool],
            body: .document(
                [ToolMediaType.score, "application/json"], .map(.anything)),
            answers: [.empty(204, "Received. The answer never says what comes of it.")],
            problems: [(422, "The score cannot be read; `errors` says where.")],
            keys: .ignored, cost: 5, scopes: [ToolScope.scores.rawValue], needsScope: true,
            handler: takeScore)
    }

    private func takeScore(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        let item = try lineItemID(request)
        let score = try Score(try await request.json(maximumBytes: 64 << 10))
        guard !isInboxCrowded(caller.organizationID) else { throw Problem.busy }
        let rows = try await database.patientQuery(
            .takeScore(score, of: item, in: paths.classID), as: caller)
        guard try rows.first?.bool("is_known") == true else { throw Problem.notFound }
        return .noContent
    }

    var resultsEndpoint: Endpoint {
        Endpoint(
            .get, "\(Self.classPath)/line-items/{lineItemId}/results",
            "List students' scores for one of your line items, as a tool", for: [.tool],
            query: [
                .optional("user_id", .text(1...255), "Only the score of this student.")
            ] + Self.pageParameters,
            answers: [
                .document(
                    "The score of each student who has one, as reports show it.",
                    ToolMediaType.results,
                    .array(ToolShapes.result, count: 0...1000)
                ).paged
            ],
            cost: 5, scopes: [ToolScope.results.rawValue], needsScope: true, handler: listResults)
    }

    private func listResults(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        let item = try lineItemID(request)
        let page = try request.page()
        let known = try await database.query(.lineItem(item, in: paths.classID), as: caller)
        guard !known.isEmpty else { throw Problem.notFound }
        let rows = try await database.longQuery(
            .results(
                of: item, in: paths.classID, request.query("user_id"), after: page.after(0),
                limit: page.limitPlusOne), as: caller)
        let lineItem = paths.lineItem(item)
        let results = try rows.prefix(page.limit).map { row -> JSONValue in
            let subject = try row.text("subject")
            return [
                "id": .text("\(lineItem)/results?user_id=\(percentEncode(subject))"),
                "scoreOf": .text(lineItem), "userId": .text(subject),
                "resultScore": JSONValue(floatLiteral: try row.double("score")),
                "resultMaximum": JSONValue(floatLiteral: try row.double("maximum")),
            ]
        }
        var response = Response.document(.array(results), ToolMediaType.results)
        if rows.count > page.limit {
            let last = try rows[page.limit - 1].text("subject")
            response.headers.append(link(to: page.next(after: [last], of: request), request))
        }
        return response
    }
}

extension Statement {
    fileprivate static func takeScore(
        _ score: Score, of item: UUID, in classID: UUID
    ) -> Statement {
        """
        select school.take_tool_score(
                   \(classID), \(item), \(score.userID), \(score.attempt),
                   \(JSONDocument(score.activity.bytes))) as is_known
        """
    }

    fileprivate static func results(
        of item: UUID, in classID: UUID, _ user: String?, after last: String?, limit: Int
    ) -> Statement {
        """
        select subject, score, maximum
          from school.tool_results(\(classID), \(item), \(user), \(last), \(limit))
        """
    }
}
