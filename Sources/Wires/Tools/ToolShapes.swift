import API
import HTTPServer
import HTTPWire
import JSONBytes
import School

/// The input and output of the calls of tools. Members of the standards keep the standards' names.
enum ToolShapes {
    /// Checked in full by `ToolAddress`.
    static let url = Shape.text(1...1000)

    static let keySet = Shape.fields(
        "ToolKeySet", [.required("keys", .array(.map(.anything), count: 0...10))])

    // MARK: Launches

    static let newLaunch = Shape.fields(
        "NewToolLaunch",
        [
            .optional("taskId", .uuid, "A task of the kind `tool`, for which to open the tool."),
            .optional("toolId", .uuid, "With `handoutId`: opens the tool to choose content."),
            .optional(
                "handoutId", .uuid,
                "A handout of yours, not completed, for which to choose content."),
        ])

    static let launch = Shape.fields(
        "ToolLaunch",
        [
            .required("id", .uuid),
            .required("redirectTo", .text(1...8000), "Where to send the browser, once."),
        ])

    /// What the tool asks for, as the page `/lti/authorize` gets it.
    static let authorization = Shape.fields(
        "ToolAuthorization",
        [
            .required("clientId", .text(0...255)), .required("redirectUri", .text(0...2000)),
            .required("responseType", .text(0...255)), .required("responseMode", .text(0...255)),
            .required("scope", .text(0...2000)), .required("prompt", .text(0...255)),
            .required("nonce", .text(0...2000)), .optional("state", .text(0...4000)),
            .required("loginHint", .text(0...255)), .required("messageHint", .text(0...255)),
        ])

    static let authorized = Shape.fields(
        "ToolMessage",
        [
            .required("action", .text(1...2000), "Where the browser posts the form."),
            .required("idToken", .text(1...60_000)), .orNull("state", .text(0...4000)),
        ])

    static let chosen = Shape.fields(
        "ChosenToolContent",
        [
            .required("id", .uuid), .required("toolId", .uuid), .required("handoutId", .uuid),
            .required("answered", .boolean, "Whether the tool has said what was chosen."),
            .required(
                "items", .array(item, count: 0...20), "The content, as tasks of the kind `tool`."),
        ])

    /// What a tool is told of a task, as handouts take it.
    static let custom = Shape.map(.text(0...2000))

    private static let item = Shape.fields(
        "ChosenToolItem",
        [
            .required("title", .line()), .optional("url", .text(1...1000)),
            .optional("custom", custom),
            .optional("scoreMaximum", .number(1e-9...1e12)),
            .optional("resourceId", .text(1...256)), .optional("tag", .text(1...256)),
        ])

    // MARK: Tokens

    static let tokenRequest: [Field] = [
        .required("grant_type", .word(["client_credentials"])),
        .required("client_assertion_type", .word([ToolTokenRequest.assertionType])),
        .required("client_assertion", .text(1...16384), "Signed by the tool (RFC 7523)."),
        .required("scope", .text(1...2000), "What the token is to be used for."),
    ]

    static let token = Shape.fields(
        "ToolToken",
        [
            .required("access_token", .text(43...43)), .required("token_type", .word(["Bearer"])),
            .required("expires_in", .integer(0...3600)), .required("scope", .text(1...2000)),
        ])

    static let deepLinkingResponse: [Field] = [
        .required("JWT", .text(1...16384), "The tool's answer, signed by the tool.")
    ]

    // MARK: Services

    static let lineItem = Shape.fields(
        "ToolLineItem",
        [
            .required("id", .text(1...2000)), .required("scoreMaximum", .number(0...1e12)),
            .required("label", .line()), .required("resourceLinkId", .uuid),
            .optional("resourceId", .text(1...256), "As you gave it when it was chosen or made."),
            .optional("tag", .text(1...256), "Your tag, as you gave it then."),
            .optional("startDateTime", .timestamp), .optional("endDateTime", .timestamp),
        ])

    static let membership = Shape.fields(
        "ToolMembership",
        [
            .required("id", .text(1...2000)),
            .required(
                "context",
                .fields(
                    "ToolContext",
                    [
                        .required("id", .uuid), .required("label", .line()),
                        .required("title", .line()),
                    ])),
            .required("members", .array(member, count: 0...1000)),
        ])

    private static let member = Shape.fields(
        "ToolMember",
        [
            .required("status", .word(["Active"])), .required("user_id", .text(1...255)),
            .required("roles", .array(.text(1...255), count: 1...1)),
            .optional("given_name", .line()), .optional("family_name", .line()),
            .optional("name", .text(1...1000)), .optional("email", .text(1...320)),
        ])

    static let result = Shape.fields(
        "ToolResult",
        [
            .required("id", .text(1...2000)), .required("scoreOf", .text(1...2000)),
            .required("userId", .text(1...255)), .required("resultScore", .number(0...1e12)),
            .required("resultMaximum", .number(0...1e12)),
        ])
}

/// The media types of the services.
enum ToolMediaType {
    static let lineItem = "application/vnd.ims.lis.v2.lineitem+json"
    static let lineItems = "application/vnd.ims.lis.v2.lineitemcontainer+json"
    static let score = "application/vnd.ims.lis.v1.score+json"
    static let results = "application/vnd.ims.lis.v2.resultcontainer+json"
    static let members = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
}

extension Response {
    /// A JSON document of a media type of its own.
    static func document(
        _ value: JSONValue, _ mediaType: String, status: Int = 200
    ) -> Response {
        var response = Response.json(value, status: status)
        response.headers[0] = ResponseField("Content-Type", mediaType)
        return response
    }
}
