import JSONBytes

/// Whether, when and from where badges sign in, as `GET /v1/badge-rule` says.
struct BadgeRule: Sendable {
    let isOn: Bool
    let networks: [String]
    /// From 1 for Monday to 7 for Sunday.
    let days: [Int]
    let from: String
    let until: String

    init(_ item: JSONValue) {
        isOn = item["on"]?.bool == true
        networks = (item["networks"]?.array ?? []).compactMap(\.text)
        days = (item["days"]?.array ?? []).compactMap { $0.int64.map(Int.init) }
        from = item["from"]?.text ?? ""
        until = item["until"]?.text ?? ""
    }

    /// Such as `Mon, Tue, 07:30–12:00`.
    func hours(_ texts: Texts) -> String {
        texts(
            BadgesText.hours,
            [
                "days": days.map { texts.weekday($0) }.joined(separator: " "), "from": from,
                "until": until,
            ])
    }
}
