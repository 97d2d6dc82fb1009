import API
import HTTPServer
import HTTPWire
import JSONBytes
import Postgres
import School
import Values

/// What a tool grades (Assignment and Grade Services 2.0 section 3.2): each of its tasks, whose line item has the task's
/// id, and the line items that it made for them (LineItemChanges.swift).
extension Tools {
    static let classPath = "/lti/classes/{classId}"
    static let pageParameters: [Endpoint.Parameter] = [
        .optional("limit", .integer(1...1000), "How many at most; 100 when absent."),
        .optional("pageToken", .text(1...2000), "Continues where the last page ended."),
    ]

    var lineItemEndpoints: [Endpoint] {
        let scopes = [ToolScope.lineItems.rawValue, ToolScope.readLineItems.rawValue]
        return [
            Endpoint(
                .get, "\(Self.classPath)/line-items", "List your line items in a class, as a tool",
                for: [.tool],
                query: [
                    .optional("resource_link_id", .text(1...255), "Only line items of this task."),
                    .optional("resource_id", .text(1...256), "Only line items of this resource."),
                    .optional("tag", .text(1...256), "Only line items with this tag."),
                ] + Self.pageParameters,
                answers: [
                    .document(
                        "Your tasks and what you added to them, in the order of their ids.",
                        ToolMediaType.lineItems,
                        .array(ToolShapes.lineItem, count: 0...1000)
                    ).paged
                ],
                cost: 5, scopes: scopes, needsScope: true, handler: listLineItems),
            Endpoint(
                .get, "\(Self.classPath)/line-items/{lineItemId}",
                "Read one of your line items, as a tool", for: [.tool],
                answers: [
                    .document("The line item.", ToolMediaType.lineItem, ToolShapes.lineItem)
                ],
                scopes: scopes, needsScope: true, handler: findLineItem),
        ]
    }

    private func listLineItems(_ request: Request, _ caller: Caller) async throws -> Response {
        let paths = try servicePaths(request)
        let page = try request.page()
        _ = try await usedClass(paths.classID, caller)
        let wanted = request.query("resource_link_id")
        let task = wanted.flatMap { UUID($0) }
        // Ids of other platforms' links lead nowhere.
        let limit = wanted != nil && task == nil ? 0 : page.limitPlusOne
        let rows = try await database.longQuery(
            .lineItems(
                in: paths.classID, of: task, resource: request.query("resource_id"),
                tag: request.query("tag"), after: try page.afterID(), limit: limit),
            as: caller)
        let items = try rows.prefix(page.limit).map { try lineItem($0, paths) }
        var response = Response.document(.array(items), ToolMediaType.lineItems)
        if rows.count > page.limit {
            let last = try rows[page.limit - 1].uuid("line_item_id").description
            response.headers.append(link(to: page.next(after: [last], of: request), request))
        }
        return response
    }

    private func findLineItem(_ request: Request, _ caller: Caller) async throws -> Response {
        let item = try await readLineItem(
            lineItemID(request), try servicePaths(request), caller)
        return .document(item, ToolMediaType.lineItem)
    }

    /// One line item of the tool as it is sent; 404 if there is none.
    func readLineItem(
        _ id: UUID, _ paths: ServicePaths, _ caller: Caller
    ) async throws -> JSONValue {
        let rows = try await database.query(.lineItem(id, in: paths.classID), as: caller)
        guard let row = rows.first else { throw Problem.notFound }
        return try lineItem(row, paths)
    }

    private func lineItem(_ row: Row, _ paths: ServicePaths) throws -> JSONValue {
        var item = JSONObject([
            ("id", .text(paths.lineItem(try row.uuid("line_item_id")))),
            ("scoreMaximum", JSONValue(floatLiteral: try row.double("score_maximum"))),
            ("label", .text(try row.text("label"))),
            ("resourceLinkId", .text(try row.uuid("task_id").description)),
        ])
        item["resourceId"] = try row.optionalText("resource_id").map(JSONValue.text)
        item["tag"] = try row.optionalText("tag").map(JSONValue.text)
        item["startDateTime"] = try row.optionalTimestamp("starts_at").map {
            .text($0.description)
        }
        item["endDateTime"] = try row.optionalTimestamp("ends_at").map { .text($0.description) }
        return .object(item)
    }

    // MARK: For all services

    func servicePaths(_ request: Request) throws -> ServicePaths {
        let id: ClassID = try request.id("classId")
        return ServicePaths(root: root(request), classID: id.uuid)
    }

    /// The id of a line item in the path; anything else is a 404.
    func lineItemID(_ request: Request) throws -> UUID {
        guard let id = UUID(request.path("lineItemId")) else { throw Problem.notFound }
        return id
    }

    /// What a class is called that uses the tool; 404 for any other class.
    func usedClass(_ id: UUID, _ caller: Caller) async throws -> (name: String, number: String?) {
        guard let row = try await database.query(.usedClass(id), as: caller).first else {
            throw Problem.notFound
        }
        return (try row.text("name"), try row.optionalText("number"))
    }

    /// The link to the next page, absolute as the standards show it.
    func link(to next: Page.Next, _ request: Request) -> ResponseField {
        let value = next.link.value.replacing("</", with: "<\(issuer.text(for: request))/")
        return ResponseField("Link", value)
    }
}

extension Statement {
    fileprivate static func lineItems(
        in classID: UUID, of task: UUID?, resource: String?, tag: String?, after last: UUID?,
        limit: Int
    ) -> Statement {
        """
        select line_item_id, task_id, label, score_maximum, starts_at, ends_at, resource_id, tag
          from school.tool_line_items(
                   \(classID), null, \(task), \(resource), \(tag), \(last), \(limit))
        """
    }

    /// One of them, or no row.
    static func lineItem(_ id: UUID, in classID: UUID) -> Statement {
        """
        select line_item_id, task_id, label, score_maximum, starts_at, ends_at, resource_id, tag
          from school.tool_line_items(\(classID), \(id), null, null, null, null, 1)
        """
    }

    fileprivate static func usedClass(_ id: UUID) -> Statement {
        "select name, number from school.tool_class(\(id))"
    }
}
