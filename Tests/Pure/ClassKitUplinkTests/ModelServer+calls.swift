import ClassKitUplink
import Foundation

extension ModelServer.Content {
    mutating func answer(_ call: HTTPCall) -> HTTPAnswer {
        let parts = URLComponents(url: call.url, resolvingAgainstBaseURL: false)
        if parts?.path == "/healthz" { return HTTPAnswer(status: 200) }
        let bearer = call.headers["Authorization"]?.dropFirst("Bearer ".count)
        guard let subject = bearer.flatMap({ tokens[String($0)] }) else {
            return .problem(401)
        }
        guard items(call) <= maximumItems else { return .problem(413) }
        guard let key = call.headers["Idempotency-Key"] else { return act(call, parts, subject) }
        let request = "\(call.method) \(call.url)"
        if let first = keyed[key] {
            return first.request == request && first.body == call.body
                ? first.answer : .problem(422)
        }
        let answer = act(call, parts, subject)
        if answer.status < 300 { keyed[key] = (request, call.body, answer) }
        return answer
    }

    private mutating func act(
        _ call: HTTPCall, _ parts: URLComponents?, _ subject: String
    ) -> HTTPAnswer {
        switch (call.method, parts?.path) {
        case ("POST", "/v1/me/contexts"): return save(call, subject)
        case ("DELETE", "/v1/me/contexts"): return remove(path(parts), subject)
        case ("GET", "/v1/me/contexts"):
            return changes.isEmpty ? .problem(404) : changes.removeFirst()
        case ("PUT", "/v1/me/contexts/thumbnail"):
            guard contexts[subject]?[path(parts)] != nil else { return .problem(404) }
            let path = path(parts)
            thumbnails[subject, default: [:]][path] = call.body
            return HTTPAnswer(status: 202, body: Data("{}".utf8))
        case ("GET", "/v1/me/contexts/thumbnail"):
            return thumbnails[subject]?[path(parts)].map { HTTPAnswer(status: 200, body: $0) }
                ?? .problem(404)
        case ("DELETE", "/v1/me/contexts/thumbnail"):
            let path = path(parts)
            thumbnails[subject]?[path] = nil
            return HTTPAnswer(status: 204)
        case ("POST", "/v1/activities"): return store(call, subject)
        case ("POST", "/v1/me/completions"):
            let body = decoded([String: [String]].self, call)
            completions[subject, default: []].insert(body?["identifierPath"] ?? [])
            return HTTPAnswer(status: 202, body: Data("{}".utf8))
        default: return .problem(404)
        }
    }

    func items(_ call: HTTPCall) -> Int {
        guard let body = call.body,
            let fields = try? JSONSerialization.jsonObject(with: body) as? [String: Any]
        else { return 0 }
        return (fields["contexts"] as? [Any] ?? fields["activities"] as? [Any])?.count ?? 0
    }

    private func path(_ parts: URLComponents?) -> [String] {
        let text = parts?.queryItems?.first { $0.name == "path" }?.value ?? ""
        return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ call: HTTPCall) -> Value? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
        }
        return call.body.flatMap { try? decoder.decode(type, from: $0) }
    }

    private mutating func save(_ call: HTTPCall, _ subject: String) -> HTTPAnswer {
        guard let saved = decoded([String: [ContextRecord]].self, call)?["contexts"] else {
            return .problem(400)
        }
        let wrong = saved.enumerated().filter { $0.element.title.isEmpty }.map {
            "{\"pointer\":\"/contexts/\($0.offset)/title\",\"code\":\"wrong_length\",\"detail\":\"\"}"
        }
        guard wrong.isEmpty else {
            return .problem(422, "{\"errors\":[\(wrong.joined(separator: ","))]}")
        }
        for context in saved { contexts[subject, default: [:]][context.identifierPath] = context }
        return HTTPAnswer(status: 202, body: Data("{}".utf8))
    }

    private mutating func remove(_ path: [String], _ subject: String) -> HTTPAnswer {
        contexts[subject] = contexts[subject]?.filter { !$0.key.starts(with: path) }
        return HTTPAnswer(status: 204)
    }

    private struct Upload: Decodable {
        let sentAt: Date?
        let activities: [ModelServer.Part]
    }

    private mutating func store(_ call: HTTPCall, _ subject: String) -> HTTPAnswer {
        guard let upload = decoded(Upload.self, call) else { return .problem(422) }
        if let sentAt = upload.sentAt { sentAts.append(sentAt) }
        let error = upload.sentAt.map { time.timeIntervalSince($0) } ?? 0
        let moved = abs(error) < 10 ? 0 : error
        var refused: [String] = []
        for (index, part) in upload.activities.enumerated() {
            guard !part.identifierPath.contains("refused") else {
                refused.append(
                    "{\"id\":\"\(part.id)\",\"pointer\":\"/activities/\(index)/primaryItem\","
                        + "\"code\":\"out_of_range\",\"detail\":\"\"}")
                continue
            }
            var part = part
            part.startedAt = min(time, part.startedAt.addingTimeInterval(moved))
            part.modifiedAt = min(time, part.modifiedAt.addingTimeInterval(moved))
            if parts[subject]?.contains(part) != true { parts[subject, default: []].append(part) }
        }
        return HTTPAnswer(
            status: 202,
            body: Data(
                (refused.isEmpty ? "{}" : "{\"refused\":[\(refused.joined(separator: ","))]}").utf8)
        )
    }
}
