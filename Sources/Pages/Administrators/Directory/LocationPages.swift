import JSONBytes

enum LocationText: String, TextKey {
    case title, intro, new, name, sourceID, sourceIDHint, timeZone, timeZoneHint, policy
    case policyNone, make, save, errorTitle, errorZone, remove, removeTitle, removeDoes, inUse
    case emptyTitle, emptyAdvice, classes, people
    case noticeMade, noticeSaved, noticeRemoved

    static let section = "location"
}

/// `/school/locations`: the sites of the organization.
enum LocationPages: Screen {
    static var pages: [Page] {
        [
            .show(
                "/school/locations", for: .manager, menu: MenuEntry(.home, LocationText.title)
            ) { visit in
                try await Console.all("/v1/locations", visit.api)
            } render: { items, visit in
                view(items, visit)
            }
        ] + editor.pages
    }

    private static let editor = RecordEditor(
        path: "/school/locations", api: "/v1/locations", kind: "location",
        audience: .directoryManager,
        words: { texts in
            RecordEditor.Words(
                list: texts(LocationText.title), new: texts(LocationText.new),
                make: texts(LocationText.make), save: texts(LocationText.save),
                errorTitle: texts(LocationText.errorTitle), remove: texts(LocationText.remove),
                removeTitle: texts(LocationText.removeTitle),
                removeDoes: texts(LocationText.removeDoes), inUse: texts(LocationText.inUse))
        },
        notices: (
            Notice(LocationText.noticeMade), Notice(LocationText.noticeSaved),
            Notice(LocationText.noticeRemoved)
        ),
        fields: { visit in
            let texts = visit.texts
            return [
                RecordField(id: "name", label: texts(LocationText.name), isRequired: true),
                RecordField(
                    id: "timeZone", label: texts(LocationText.timeZone),
                    hint: texts(LocationText.timeZoneHint)),
                RecordField(
                    id: "passwordPolicy", label: texts(LocationText.policy),
                    control: .choice([
                        ("", texts(LocationText.policyNone)), ("4", texts(PersonText.policy4)),
                        ("6", texts(PersonText.policy6)), ("8", texts(PersonText.policy8)),
                    ])),
                RecordField(
                    id: "sourceId", label: texts(LocationText.sourceID),
                    hint: texts(LocationText.sourceIDHint)),
            ]
        },
        reasons: { ["unknown_time_zone": $0(LocationText.errorZone)] })

    private static func view(_ items: [JSONValue], _ visit: Visit) -> View {
        let texts = visit.texts
        let changes = visit.person?.belongs(to: .directoryManager) == true
        return View(texts(LocationText.title)) {
            heading(texts(LocationText.title), below: .text(texts(LocationText.intro))) {
                if changes {
                    a(.class("button button-main"), .href("/school/locations/new")) {
                        Icon.plus.html
                        texts(LocationText.new)
                    }
                }
            }
            if items.isEmpty {
                emptyBox(texts(LocationText.emptyTitle), texts(LocationText.emptyAdvice))
            } else {
                Console.table(
                    texts(LocationText.title),
                    head: [
                        Console.column(texts(LocationText.name)),
                        Console.column(texts(LocationText.timeZone)),
                        Console.column(texts(ConsoleText.links)),
                    ]
                ) { for item in items { row(item, changes, texts) } }
            }
        }
    }

    private static func row(_ item: JSONValue, _ changes: Bool, _ texts: Texts) -> HTML {
        let id = item["id"]?.text ?? ""
        let name = item["name"]?.text ?? ""
        return tr {
            th(.scope("row")) {
                if changes {
                    a(.href("/school/locations/\(id)/edit"), .dirAuto) { name }
                } else {
                    written(name)
                }
            }
            td { item["timeZone"]?.text ?? "" }
            td {
                dotted([
                    a(.href(LocalPath("/people").with("location", id))) {
                        texts(LocationText.people)
                        span(.class("unseen")) { ": \(name)" }
                    },
                    a(.href(LocalPath("/school/classes").with("location", id))) {
                        texts(LocationText.classes)
                        span(.class("unseen")) { ": \(name)" }
                    },
                ])
            }
        }
    }
}
