import HTTPWire
import JSONBytes

extension Operation {
    /// The operation object of the API document.
    func object(
        tag: String, in document: OpenAPI, collecting components: inout [String: JSONValue]
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("operationId", .text(operationID)), ("summary", .text(summary)),
        ]
        if let text = successor?.sentence ?? description {
            members.append(("description", .text(text)))
        }
        if successor != nil { members.append(("deprecated", true)) }
        members.append(("tags", .array([.text(tag)])))
        members.append(("security", .array(schemes.map(\.object))))
        members += extensions.map { ($0.name, $0.value) }
        let examples = document.description.examples
        let parameters = parameterObjects(document, collecting: &components)
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        if let body = requestBody(examples, collecting: &components) {
            members.append(("requestBody", body))
        }
        members.append(("responses", responses(collecting: &components)))
        return .object(JSONObject(members))
    }

    /// The schemes of which any one suffices; none for calls without a token.
    private var schemes: [Scheme] {
        switch access {
        case .anyone: []
        case .token(let schemes): schemes
        case .ownToken(let scheme): [scheme]
        }
    }

    /// A name for generated clients, such as `getOrdersByIdItems`.
    private var operationID: String {
        var name = method.name.lowercased()
        for segment in path.split(separator: "/") where segment != "v1" {
            if segment.hasPrefix("{") { name += "By" }
            for word in segment.split(whereSeparator: { "-.{}".contains($0) }) {
                name += word.prefix(1).uppercased() + word.dropFirst()
            }
        }
        return name
    }

    // MARK: Parameters

    private func parameterObjects(
        _ document: OpenAPI, collecting components: inout [String: JSONValue]
    ) -> [JSONValue] {
        var objects: [JSONValue] = []
        let examples = document.description.examples
        let segments = path.split(separator: "/")
        for (collection, segment) in zip(segments, segments.dropFirst())
        where segment.hasPrefix("{") {
            let name = String(segment.dropFirst().dropLast())
            let shape = document.shape(
                ofPath: name, in: String(collection), isOwn: path.hasPrefix("/v1/"))
            objects.append([
                "name": .text(name), "in": "path", "required": true,
                "schema": shape.schema(collecting: &components),
            ])
        }
        for parameter in parameters {
            var members: [(String, JSONValue)] = [
                ("name", .text(parameter.name)), ("in", "query"),
                ("required", .bool(parameter.isRequired)),
                ("description", .text(parameter.meaning)),
                ("schema", schema(of: parameter, collecting: &components)),
            ]
            if let example = examples["?\(parameter.name)"],
                parameter.shape.check(example).isEmpty
            {
                members.append(("example", example))
            }
            objects.append(.object(JSONObject(members)))
        }
        return objects + fieldObjects(examples)
    }

    /// The header fields that the call reads.
    private func fieldObjects(_ examples: [String: JSONValue]) -> [JSONValue] {
        let objects = (conditions + fields).map { field in
            var members: [(String, JSONValue)] = [
                ("name", .text(field.name)), ("in", "header"),
                ("required", .bool(field.isRequired)), ("description", .text(field.meaning)),
                ("schema", ["type": "string"]),
            ]
            if let example = examples["?\(field.name)"] { members.append(("example", example)) }
            return JSONValue.object(JSONObject(members))
        }
        return keys == .honoured ? objects + [Self.keyParameter] : objects
    }

    private func schema(
        of parameter: Parameter, collecting components: inout [String: JSONValue]
    ) -> JSONValue {
        let one = parameter.shape.schema(
            as: EnumName(field: parameter.name, of: operationID), collecting: &components)
        return parameter.isRepeatable ? ["type": "array", "items": one] : one
    }

    private static let keyParameter: JSONValue = [
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": .text(
            "Names the call, so that it can be repeated without being done twice: for 24 hours the same key "
                + "on the same call by the same caller gets the first answer again, with "
                + "`Idempotency-Replayed: true`. Only what took effect (2xx) is kept; what was refused "
                + "is judged afresh."),
        "schema": [
            "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x20-\\x7E]+$",
        ],
    ]

    /// The schema of content that is not JSON: text if the media type says so, else bytes.
    private static func schema(ofMediaType mediaType: String) -> JSONValue {
        mediaType.hasPrefix("text/") ? ["type": "string"] : bytes
    }

    private static let bytes: JSONValue = ["type": "string", "format": "binary"]

    private func requestBody(
        _ examples: [String: JSONValue], collecting components: inout [String: JSONValue]
    ) -> JSONValue? {
        switch body {
        case .none: return nil
        case .json(let shape), .jsonIfAny(let shape), .document(_, let shape):
            let isRequired = if case .jsonIfAny = body { false } else { true }
            let content: JSONValue = [
                "schema": shape.schema(collecting: &components),
                "example": shape.example(from: examples),
            ]
            return [
                "required": .bool(isRequired),
                "content": .object(JSONObject(describedMediaTypes.map { ($0, content) })),
            ]
        case .form(let fields):
            let form = Shape.fields(
                "\(operationID.prefix(1).uppercased())\(operationID.dropFirst())Form", fields)
            return [
                "required": true,
                "content": [
                    "application/x-www-form-urlencoded": [
                        "schema": form.schema(collecting: &components),
                        "example": form.example(from: examples),
                    ]
                ],
            ]
        case .stream(let mediaTypes, _):
            let content = mediaTypes.map {
                ($0, JSONValue.object(JSONObject([("schema", Self.bytes)])))
            }
            return ["required": true, "content": .object(JSONObject(content))]
        }
    }

    // MARK: Responses

    /// For a call that is still running, or whose answer was not kept.
    private static let keyHeaders: [Header] = [
        .retryAfter,
        Header(name: "Location", meaning: "The path of what was made then.", isRequired: false),
    ]

    private func responses(collecting components: inout [String: JSONValue]) -> JSONValue {
        var objects: [(status: Int, value: JSONValue)] = []
        for answer in answers {
            objects.append((answer.status, response(answer, collecting: &components)))
        }
        for problem in documentedProblems
        where !objects.contains(where: { $0.status == problem.status }) {
            let common = CommonProblem.all.first { $0.status == problem.status && mayMeet($0) }
            let meaning =
                [400, 422].contains(problem.status) && common != nil
                ? "\(problem.meaning) Or: \(common?.meaning ?? "")" : problem.meaning
            let headers =
                problem.status == 409 && keys == .honoured
                ? Self.keyHeaders : CommonProblem.headers(of: problem.status)
            objects.append((problem.status, OpenAPI.problem(meaning, headers)))
        }
        for problem in CommonProblem.all
        where mayMeet(problem) && !objects.contains(where: { $0.status == problem.status }) {
            let reference = JSONValue.text("#/components/responses/\(problem.name)")
            objects.append((problem.status, ["$ref": reference]))
        }
        var members = objects.sorted { $0.status < $1.status }.map { (String($0.status), $0.value) }
        members.append(("default", OpenAPI.problem("Any other problem.", [])))
        return .object(JSONObject(members))
    }

    private func response(
        _ answer: Answer, collecting components: inout [String: JSONValue]
    ) -> JSONValue {
        var content: [(String, JSONValue)] = []
        for (mediaType, shape) in answer.content {
            let schema =
                shape?.schema(collecting: &components) ?? Self.schema(ofMediaType: mediaType)
            content.append((mediaType, ["schema": schema]))
        }
        let keyProblem = keyProblems.first { $0.status == answer.status }
        if answer.status == 400 || keyProblem != nil {
            // Mistakes in the query and with a key are reported before a call can answer in its own format.
            content.append(
                (
                    "application/problem+json",
                    ["schema": ["$ref": "#/components/schemas/Problem"]]
                ))
        }
        let meaning = keyProblem.map { "\(answer.meaning) Or: \($0.meaning)" } ?? answer.meaning
        var members: [(String, JSONValue)] = [("description", .text(meaning))]
        let replayed: [Header] = keys == .honoured ? [.replayed] : []
        members.append(("headers", OpenAPI.fields(answer.headers + replayed + [.requestID])))
        if !content.isEmpty { members.append(("content", .object(JSONObject(content)))) }
        return .object(JSONObject(members))
    }
}

extension Operation.Scheme {
    /// The security requirement object of the API document.
    fileprivate var object: JSONValue {
        .object(JSONObject([(name, .array(scopes.map(JSONValue.text)))]))
    }
}
