import JSONBytes
import Values

/// What a webhook was sent lately, as `GET /v1/webhooks/{id}/deliveries` says.
enum WebhookDeliveries {
    /// - Parameter isOn: whether deliveries can be sent again.
    static func card(_ deliveries: [JSONValue], isOn: Bool, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card"), .labelledBy("deliveries")) {
            h2(.id("deliveries")) { texts(WebhooksText.deliveries) }
            if deliveries.isEmpty { p(.class("soft")) { texts(WebhooksText.deliveriesNone) } }
            ul(.class("list list-wraps")) {
                for delivery in deliveries { li { row(delivery, isOn, visit) } }
            }
        }
    }

    @HTMLBuilder
    private static func row(_ delivery: JSONValue, _ isOn: Bool, _ visit: Visit) -> [HTML] {
        let texts = visit.texts
        let status = delivery["status"]?.text
        let made = moment(delivery["createdAt"])
        div(.class("grow")) {
            p {
                dotted([
                    .text(made.map { visit.moment($0) } ?? ""), .text(contents(delivery, texts)),
                ])
            }
            if let attempt = delivery["attempts"]?.array?.last {
                p(.class("small soft")) { outcome(attempt, visit) }
            }
            if let next = moment(delivery["nextAttemptAt"]), next > visit.now {
                p(.class("small soft")) {
                    texts(WebhooksText.next, ["when": visit.moment(next)])
                }
            }
        }
        div(.class("wrap-end")) {
            switch status {
            case "delivered": tag(texts(WebhooksText.delivered), .done, .good)
            case "failed": tag(texts(WebhooksText.failed), .warn, .warn)
            default: tag(texts(WebhooksText.waiting), .late)
            }
            if isOn, status != "waiting" {
                postForm(
                    visit, "/webhooks/\(visit["id"])/deliveries/\(delivery["id"]?.text ?? "")"
                ) {
                    button(.class("button"), .type("submit")) { texts(WebhooksText.again) }
                }
            }
        }
    }

    private static func moment(_ value: JSONValue?) -> Timestamp? {
        value?.text.flatMap { Timestamp($0) }
    }

    private static func contents(_ delivery: JSONValue, _ texts: Texts) -> String {
        if delivery["kind"]?.text == "test" { return texts(WebhooksText.testDelivery) }
        return texts(WebhooksText.changes, count: Int(delivery["changes"]?.int64 ?? 0))
    }

    private static func outcome(_ attempt: JSONValue, _ visit: Visit) -> String {
        let when = moment(attempt["at"]).map { visit.moment($0) } ?? ""
        if let status = attempt["status"]?.int64 {
            return visit.texts(
                WebhooksText.answered, ["when": when, "status": "\(status)"])
        }
        return visit.texts(
            WebhooksText.noAnswer, ["when": when, "failure": attempt["failure"]?.text ?? ""])
    }
}
