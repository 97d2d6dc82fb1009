import JSONBytes
import QRCodes
import Values

extension Badges {
    /// A new badge, whose secret is answered this once.
    struct Card: Sendable {
        let name: String
        let secret: String

        init?(_ item: JSONValue) {
            guard let name = FullName(item), let secret = item["secret"]?.text else { return nil }
            self.name = name.text
            self.secret = secret
        }
    }

    /// Not a redirect: no other page could ask for the secrets again.
    static func sheet(
        _ cards: [Card], _ made: JSONValue, _ content: Content, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let (kept, leftOut) = (made["kept"]?.int64 ?? 0, made["leftOut"]?.int64 ?? 0)
        return View(texts(BadgesText.title)) {
            heading(
                texts(BadgesText.title),
                below: dotted([
                    written(content.schoolClass.name),
                    .text(texts(BadgesText.made, count: cards.count)),
                ])
            ) {
                a(
                    .class("button button-main"), .href(part: "cards"),
                    Attribute("data-print", "")
                ) {
                    Icon.print.html
                    texts(BadgesText.print)
                }
            }
            div(.class("no-print stack")) {
                notice(.warn, .warn) { p { texts.html(BadgesText.shownOnce) } }
                if kept > 0 { p { texts(BadgesText.kept, count: Int(kept)) } }
                if leftOut > 0 {
                    p(.class("warn")) { texts(BadgesText.leftOut, count: Int(leftOut)) }
                }
                p {
                    a(.class("button"), .href("/classes/\(content.schoolClass.id)/badges")) {
                        texts(BadgesText.toBadges)
                    }
                }
            }
            div(.class("slips badges"), .id("cards")) {
                for item in cards { card(item, content.schoolClass.name, visit) }
            }
        }
    }

    /// The secret stands in the code alone: what one can read aloud or type, one can also note down in passing.
    private static func card(_ card: Card, _ className: String, _ visit: Visit) -> HTML {
        section(.class("slip badge")) {
            if let code = visit.site.flatMap({ QRCode("\($0)/badge#\(card.secret)") }) {
                picture(code)
            }
            h2 { written(card.name) }
            p(.class("small soft")) {
                dotted([written(visit.person?.school ?? ""), written(className)])
            }
            p(.class("small")) { visit.texts(BadgesText.hold) }
        }
    }
}
