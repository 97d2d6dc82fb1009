import JSONBytes

enum SchoolText: String, TextKey {
    case title, name, domains, format, timeZone, progress, progressOn, progressOff

    static let section = "school"
}

/// `/school`: the school and its settings.
enum School: Screen {
    static var pages: [Page] {
        [
            .show("/school", for: .manager, menu: MenuEntry(.home, SchoolText.title)) { visit in
                try await visit.api.get("/v1/organization")
            } render: { school, visit in
                view(school, visit)
            }
        ]
    }

    private static func view(_ school: JSONValue, _ visit: Visit) -> View {
        let texts = visit.texts
        let domains = (school["domains"]?.array ?? []).compactMap(\.text)
        let isOn = school["studentProgress"]?["enabled"]?.bool == true
        return View(texts(SchoolText.title)) {
            heading(texts(SchoolText.title))
            section(.class("card reading")) {
                dl(.class("facts")) {
                    fact(texts(SchoolText.name), written(school["name"]?.text ?? ""))
                    fact(texts(SchoolText.domains), .text(texts.list(domains)))
                    fact(texts(SchoolText.format), code { school["managedIdFormat"]?.text ?? "" })
                    fact(texts(SchoolText.timeZone), .text(school["timeZone"]?.text ?? ""))
                    fact(
                        texts(SchoolText.progress),
                        isOn
                            ? tag(texts(SchoolText.progressOn), .done, .good)
                            : tag(texts(SchoolText.progressOff), .off, .line))
                }
            }
        }
    }

    private static func fact(_ name: String, _ value: HTML) -> HTML {
        div {
            dt { name }
            dd { value }
        }
    }
}
