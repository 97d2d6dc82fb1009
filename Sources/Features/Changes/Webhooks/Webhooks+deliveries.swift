import API
import HTTPWire
import Postgres
import School
import Values

/// What was sent, and sending it again.
extension Changes {
    var deliveryEndpoints: [Endpoint] {
        let path = "\(Self.webhooks.names.path)/{id}"
        let delivery = Shape.object(WebhookShapes.delivery)
        let disabled = [(status: 409, meaning: "The webhook is disabled.")]
        return [
            Endpoint(
                .post, "\(path)/test", "Send a test delivery to a webhook",
                for: [.administrator],
                answers: [
                    .json("It is sent within seconds, and tried once.", delivery, status: 202)
                ],
                problems: disabled, handler: testWebhook),
            Endpoint(
                .get, "\(path)/deliveries", "List what a webhook was sent, newest first",
                for: [.administrator], query: Endpoint.Parameter.page,
                answers: [
                    .page("The deliveries of the last seven days.", of: WebhookShapes.delivery)
                ],
                handler: listDeliveries),
            Endpoint(
                .post, "\(path)/deliveries/{deliveryId}", "Send a delivery again",
                for: [.administrator],
                answers: [
                    .json("It is sent within seconds, with the same id.", delivery, status: 202)
                ],
                problems: disabled, handler: redeliver),
        ]
    }

    private func testWebhook(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<WebhookEntity> = try request.id("id")
        return try await ordered(of: id, caller) { session in
            try await session.query(.testWebhook(id)).first?.optionalUUID("id")
        }
    }

    private func redeliver(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<WebhookEntity> = try request.id("id")
        let delivery: ID<DeliveryEntity> = try request.id("deliveryId")
        return try await ordered(of: id, caller) { session in
            let outcome = try await session.query(.redeliver(delivery.uuid, of: id))
            return try outcome.first?.bool("is_ordered") == true ? delivery.uuid : nil
        }
    }

    /// Answers with the delivery that the body ordered; 404 if the body finds none.
    private func ordered(
        of id: ID<WebhookEntity>, _ caller: Caller,
        _ order: (Session) async throws -> UUID?
    ) async throws -> Response {
        let response = try await database.transaction(as: caller) { session in
            try await checkEnabled(id, caller, session)
            guard let delivery = try await order(session) else { throw Problem.notFound }
            return try Response.object(
                try await session.query(.delivery(delivery, in: caller.organizationID)),
                status: 202)
        }
        let worker = worker
        database.afterCommit { worker.nudge() }
        return response
    }

    private func checkEnabled(
        _ id: ID<WebhookEntity>, _ caller: Caller, _ session: Session
    ) async throws {
        let found = try await session.query(.isEnabled(id, in: caller.organizationID))
        guard let row = found.first else { throw Problem.notFound }
        guard try row.bool("is_enabled") else { throw Problem.webhookDisabled }
    }

    private func listDeliveries(_ request: Request, _ caller: Caller) async throws -> Response {
        let id: ID<WebhookEntity> = try request.id("id")
        let page = try request.page()
        let after = try page.afterID()
        return try await database.transaction(as: caller) { session in
            let found = try await session.query(.isEnabled(id, in: caller.organizationID))
            guard found.count > 0 else { throw Problem.notFound }
            let rows = try await session.query(
                page.of(
                    .deliveries(
                        of: id, after: after, limit: page.limitPlusOne, in: caller.organizationID)))
            return try page.response(rows, request: request)
        }
    }
}
