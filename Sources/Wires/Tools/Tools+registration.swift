import API
import HTTPClient
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// Names the ids of tools.
package enum ToolEntity: ResourceEntity {
    package static let table: Statement = "tool"
}

/// Tools as an administrator registers them. One stays when it is removed, because tasks and audit events name it.
///
/// The database ends the tokens and launches of a tool that is removed (`end_tool_tokens`).
extension Tools {
    private static let loginURL = Column<String>(
        "login_url", ToolShapes.url, "Where a launch begins: the tool's OpenID Connect login URL.")
    private static let redirectURIs = Column<[String]>(
        "redirect_uris", .array(ToolShapes.url, count: 1...10),
        "Where ID tokens may be sent, compared letter by letter.")
    private static let launchURL = Column<String>(
        "launch_url", ToolShapes.url, "What is opened if a task has no address of its own.")
    private static let deepLinkingURL = Column<String?>(
        "deep_linking_url", ToolShapes.url,
        "What a teacher opens to choose content; without it, the tool offers none.")
    private static let keySetURL = Column<String?>(
        "key_set_url", ToolShapes.url,
        "Where the tool publishes its keys (RFC 7517). Give this or `keySet`.")
    private static let keySet = Column<String?>(
        "key_set", .text(1...16384, lines: true),
        "The tool's keys themselves, as the text of a JSON Web Key Set.")
    private static let sharesNames = Column<Bool?>(
        "is_telling_names", as: "shares_names", nil,
        "Whether the tool learns people's names; false when absent."
    ).withDefault
    private static let sharesEmails = Column<Bool?>(
        "is_telling_emails", as: "shares_emails", nil,
        "Whether the tool learns people's email addresses; false when absent."
    ).withDefault

    static let tools = Resource<ToolEntity>(
        .init("tool", "tools", at: "/v1/tools"),
        columns: [
            Column<String>("name", .line(), "As teachers and students know it."),
            loginURL, redirectURIs, launchURL, deepLinkingURL, keySetURL, keySet,
            Column<LocationID?>(
                "location_id", nil,
                "The location whose classes may use it; without it, all classes. Other classes lose it at once."
            ),
            sharesNames, sharesEmails,
        ],
        computed: [
            Computed(
                "tool.tool_id as client_id", .required("clientId", .uuid, "The same as the id.")),
            Computed("deployment_id") {
                .required($0, .uuid, "The id by which the tool knows this registration.")
            },
            Computed("removed_at") { .orNull($0, .timestamp) },
        ],
        current: "tool.removed_at is null",
        filters: [
            Filter(
                .optional("removed", .boolean, "true: lists the tools that were removed, instead.")
            ) {
                request, _ in
                let isRemoved = request.queryBoolean("removed") ?? false
                return "and (tool.removed_at is not null) = \(isRemoved)"
            }
        ],
        rules: Rules {
            $0.validate = checkAddresses
            $0.check = { tool, _, _ in
                tool[sharesNames] = tool[sharesNames] ?? false
                tool[sharesEmails] = tool[sharesEmails] ?? false
            }
            $0.complete = { tool, session, _ in
                let change = tool.present == nil ? "registered" : "changed"
                try await session.query(.auditTool(tool.id, change))
            }
            $0.remove = { id, organization in .removeTool(id, of: organization) }
            $0.removed = { [.auditTool($0, "removed")] }
        })

    @Sendable private static func checkAddresses(_ tool: Draft<ToolEntity>) throws {
        var addresses: [(pointer: String, text: String?)] = [
            ("/loginUrl", tool[loginURL]), ("/launchUrl", tool[launchURL]),
            ("/deepLinkingUrl", tool[deepLinkingURL]), ("/keySetUrl", tool[keySetURL]),
        ]
        for (index, text) in tool[redirectURIs].enumerated() {
            addresses.append((pointer: "/redirectUris/\(index)", text: text))
        }
        let wrong = addresses.filter { address in
            address.text.map { !ToolAddress.isAllowed($0) } ?? false
        }
        guard wrong.isEmpty else {
            throw Problem.invalid(
                wrong.map {
                    Problem.Invalid(
                        pointer: $0.pointer, code: "invalid_url",
                        detail: "Give a URL that begins with https://, without user and fragment.")
                })
        }
        switch (tool[keySetURL], tool[keySet]) {
        case (nil, nil):
            throw Problem.invalid(
                "/keySetUrl", "keys_missing", "Give keySetUrl or keySet: the tool signs with them.")
        case (.some, .some):
            throw Problem.invalid("/keySet", "keys_twice", "Give keySetUrl or keySet, not both.")
        case (nil, let text?):
            guard text.utf8.count <= 16384, ToolKeySets.parse(Array(text.utf8)) != nil else {
                throw Problem.invalid(
                    "/keySet", "no_key",
                    "This is not a JSON Web Key Set with a key for RS256 or ES256.")
            }
        case (.some, nil): break
        }
    }

    var registrationEndpoints: [Endpoint] {
        Self.tools.endpoints(
            database, readers: [.administrator, .teacher], writers: [.administrator],
            ResourceTexts(
                summaries: [
                    .list: "List tools; teachers get those that they may use in tasks",
                    .create: "Register a tool",
                    .remove: "Remove a tool and end its tokens",
                ],
                descriptions: [
                    .remove: "Nobody can open it any more. Scores that it reported stay."
                ],
                answers: [.list: "The oldest first.", .remove: "Removed. Its tasks stay."],
                creating: [(409, "The organization has 100 tools.")]))
    }
}

/// Addresses of tools. Browsers go there, and the server for keys.
enum ToolAddress {
    private static let ownHosts: Set<String> = ["127.0.0.1", "::1", "localhost"]

    /// Whether the address is one of https, or one of http on the same machine.
    static func isAllowed(_ text: String) -> Bool {
        guard let address = WebAddress(text) else { return false }
        return address.isSecure || ownHosts.contains(address.host)
    }

    /// The address with parameters, beside those that it may have of its own.
    static func completed(
        _ address: String, with items: [(name: String, value: String)]
    ) -> String {
        let given = items.map { "\(percentEncode($0.name))=\(percentEncode($0.value))" }
        return address + (address.contains("?") ? "&" : "?") + given.joined(separator: "&")
    }
}

extension Statement {
    fileprivate static func removeTool(
        _ id: ID<ToolEntity>, of organization: OrganizationID
    ) -> Statement {
        """
        update school.tool set removed_at = school.moment()
         where organization_id = \(organization) and tool_id = \(id)
        """
    }

    fileprivate static func auditTool(_ id: ID<ToolEntity>, _ change: String) -> Statement {
        .audit(
            "toolChange", subjectKind: "tool", subject: id.uuid,
            details: ["change": .text(change)])
    }
}
