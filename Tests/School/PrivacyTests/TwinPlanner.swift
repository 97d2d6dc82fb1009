import HTTPWire
import JSONBytes
import RandomKit
import School
import Values

/// Draws what an app can request, with values up to their extremes, well-formed and malformed.
struct TwinPlanner {
    private var chance: SplitMix64
    private let seed: UInt64
    private let now = Clock.system.now

    /// From the smallest number above zero to the greatest that a client can write, and text that is not a number.
    static let sizes = [
        "0", "0.5", "1", "7", "100", "5e-324", "1e-310", "1e-9", "1e12", "1e13", "1e300", "-1",
        "-1e300", "1e400",
    ]
    /// Minutes from now; years in both directions.
    private static let moments: [Int64] = [
        0, -1, -10, -60, -90, -24 * 60, -29 * 24 * 60, -31 * 24 * 60, -20 * 365 * 24 * 60, 1, 60,
        40 * 24 * 60, 900 * 365 * 24 * 60,
    ]
    /// Calls that an app's token may not make, or that take none: they sign people in or out, count by the address, or
    /// take a developer's token.
    private static let withoutTwins = [
        "/v1/sign-", "/oauth/", "/v1/me/password", "/v1/contexts", "/v1/thumbnails", "/v1/status",
        "/v1/developer/", "/openapi.json", "/docs", "/xapi/",
    ]
    private static let refused = RouteTable.rows.filter { row in
        !withoutTwins.contains { row.path.hasPrefix($0) }
            && !["/v1/activities", "/v1/me/contexts", "/v1/me/completions"].contains(row.path)
    }

    init(seed: UInt64) {
        self.seed = seed
        chance = SplitMix64(spreading: seed &+ 0x7417)
    }

    mutating func step() -> TwinStep {
        switch chance.number(1...100) {
        case 1...42: .call(upload())
        case 43...56: .call(save())
        case 57...76: .call(lookUp())
        case 77...82: .call(remove())
        case 83...88: .call(complete())
        case 89...94: .call(refusal())
        case 95: .call(state())
        case 96: .locks(chance.happens(percent: 50))
        case 97...98: .switches(isOn: chance.happens(percent: 70))
        default: .daysPass(chance.choice(of: [29, 31]))
        }
    }

    // MARK: Activities

    private mutating func upload() -> TwinCall {
        if chance.happens(percent: 4) {
            return TwinCall(
                .post, "/v1/activities", chance.choice(of: ["", "[]", "{", "{\"activities\":7}"]))
        }
        let parts = (1...chance.number(1...4)).map { _ in part() }
        let sentAt = chance.happens(percent: 25) ? "\"sentAt\":\(moment())," : ""
        return TwinCall(
            .post, "/v1/activities", "{\(sentAt)\"activities\":[\(parts.joined(separator: ","))]}")
    }

    private mutating func part() -> String {
        let id = UUID(
            milliseconds: 1_790_000_000_000, random: (seed, UInt64(chance.number(1...6))))
        var fields = [
            "\"id\":\"\(id)\"", "\"identifierPath\":\(path(chance.choice(of: aims)))",
            "\"startedAt\":\(moment())", "\"modifiedAt\":\(moment())",
            "\"durationSeconds\":\(chance.happens(percent: 70) ? "60" : number())",
        ]
        if chance.happens(percent: 60) { fields.append("\"stoppedAt\":\(moment())") }
        if chance.happens(percent: 60) { fields.append("\"progressRanges\":\(ranges())") }
        if chance.happens(percent: 70) { fields.append("\"primaryItem\":\(item())") }
        if chance.happens(percent: 30) {
            let count = chance.happens(percent: 10) ? 300 : chance.number(1...3)
            fields.append(
                "\"additionalItems\":[\((1...count).map { item("more-\($0)") }.joined(separator: ","))]"
            )
        }
        // Now and then something is missing, or unknown.
        if chance.happens(percent: 6) { fields.remove(at: chance.number(0...fields.count - 1)) }
        if chance.happens(percent: 4) { fields.append("\"colour\":\"red\"") }
        return "{\(fields.joined(separator: ","))}"
    }

    /// Mostly one that is assigned to some of the twins.
    private var aims: [[String]] {
        TwinContexts.assigned + TwinContexts.assigned + TwinContexts.others
    }

    private mutating func ranges() -> String {
        let pairs = (1...chance.number(1...3)).map { _ in
            let pair = [chance.number(0...100), chance.number(0...100)]
            let ends = chance.happens(percent: 90) ? pair.sorted() : pair
            return "[\(Double(ends[0]) / 100),\(Double(ends[1]) / 100)]"
        }
        return
            "[\((pairs + (chance.happens(percent: 5) ? ["[0,\(number())]"] : [])).joined(separator: ","))]"
    }

    private mutating func item(_ identifier: String = "total") -> String {
        let title = chance.happens(percent: 3) ? String(repeating: "x", count: 300) : "Total"
        let name = "\"identifier\":\"\(identifier)\",\"title\":\"\(title)\""
        switch chance.number(1...4) {
        case 1: return "{\"kind\":\"quantity\",\(name),\"quantity\":\(number())}"
        case 2: return "{\"kind\":\"binary\",\(name),\"value\":true,\"valueType\":\"passFail\"}"
        default:
            return "{\"kind\":\"score\",\(name),\"score\":\(number()),\"maxScore\":\(number())}"
        }
    }

    private mutating func number() -> String { chance.choice(of: Self.sizes) }

    private mutating func moment() -> String {
        if chance.happens(percent: 3) { return chance.choice(of: ["\"soon\"", "null", "17"]) }
        let minutes =
            chance.happens(percent: 70)
            ? chance.choice(of: [-1, -10, -60]) : chance.choice(of: Self.moments)
        return "\"\(Timestamp(milliseconds: now.milliseconds + minutes * 60_000))\""
    }

    // MARK: Statements

    private mutating func state() -> TwinCall {
        let statements = (1...chance.number(1...4)).map { _ in statement() }
        return TwinCall(.post, "/xapi/statements", "[\(statements.joined(separator: ","))]")
    }

    /// Ids are few, so that they come again, in one call or in several.
    private mutating func statement() -> String {
        let id = UUID(
            milliseconds: 1_790_000_000_001, random: (seed, UInt64(chance.number(1...12))))
        let verb = chance.choice(of: ["initialized", "passed", "completed", "liked"])
        let context = chance.choice(of: aims).map { "/\($0)" }.joined()
        let root = "http://localhost/xapi/activities/\(Cast.apps[0])"
        let score = "{\"score\":{\"raw\":\(number()),\"max\":10},\"duration\":\"PT1M\"}"
        return "{\"id\":\"\(id)\",\"actor\":{\"account\":{\"homePage\":\"http://localhost\","
            + "\"name\":\"\(TwinSchool.subject)\"}},\"timestamp\":\(moment()),"
            + "\"verb\":{\"id\":\"http://adlnet.gov/expapi/verbs/\(verb)\"},"
            + "\"object\":{\"id\":\"\(root)\(context)\"}"
            + (chance.happens(percent: 60) ? ",\"result\":\(score)}" : "}")
    }

    // MARK: Contexts

    private mutating func save() -> TwinCall {
        let contexts = (1...chance.number(1...4)).map { _ in
            let context = chance.choice(of: TwinContexts.all)
            let type = context.isEmpty != chance.happens(percent: 4) ? "app" : "quiz"
            let summary =
                chance.happens(percent: 20) ? ",\"summary\":\"\(chance.number(1...9))\"" : ""
            return "{\"identifierPath\":\(path(context)),\"type\":\"\(type)\","
                + "\"title\":\"Title \(chance.number(1...99))\"\(summary)}"
        }
        return TwinCall(
            .post, "/v1/me/contexts", "{\"contexts\":[\(contexts.joined(separator: ","))]}")
    }

    private mutating func lookUp() -> TwinCall {
        if chance.happens(percent: 30) { return readEverything() }
        let context = chance.choice(of: TwinContexts.all)
        let isForChildren = chance.happens(percent: 50)
        var target = "/v1/me/contexts?path=\(query(context))"
        if isForChildren { target += "&children=true" }
        let pages = chance.happens(percent: 40) ? 3 : 0
        if pages > 0 { target += "&limit=1" }
        return TwinCall(
            .get, target, pages: pages,
            mayShowWhatIsTaught: isForChildren
                ? TwinContexts.taught.dropLast() == context[...]
                : context.starts(with: TwinContexts.taught))
    }

    /// What changed, from the start or from where the last answer ended.
    private mutating func readEverything() -> TwinCall {
        let target = "/v1/me/contexts?descendants=true"
        let isFollowing = chance.happens(percent: 60)
        let pages = chance.happens(percent: 40) ? 3 : 0
        return TwinCall(
            .get,
            target + (isFollowing ? "&updatedSince=\(TwinSchool.cursor)" : "")
                + (pages > 0 ? "&limit=2" : ""), pages: pages)
    }

    private mutating func remove() -> TwinCall {
        let context = query(chance.choice(of: TwinContexts.all))
        let what = chance.happens(percent: 20) ? "contexts/thumbnail" : "contexts"
        return TwinCall(.delete, "/v1/me/\(what)?path=\(context)")
    }

    private mutating func complete() -> TwinCall {
        TwinCall(
            .post, "/v1/me/completions",
            "{\"identifierPath\":\(path(chance.choice(of: TwinContexts.all)))}")
    }

    // MARK: The rest

    /// With the id of a handout of the school, whatever is requested.
    private mutating func refusal() -> TwinCall {
        let row = chance.choice(of: Self.refused)
        var target = row.path
        while let open = target.firstIndex(of: "{"), let close = target.firstIndex(of: "}") {
            target.replaceSubrange(open...close, with: TwinSchool.handout)
        }
        let method = HTTPMethod(row.method)
        return TwinCall(method, target, row.method == "GET" ? "" : "{}")
    }

    private func path(_ path: [String]) -> String {
        "[\(path.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    private func query(_ path: [String]) -> String {
        self.path(path).replacing("[", with: "%5B").replacing("]", with: "%5D")
            .replacing("\"", with: "%22")
    }
}
