import JSONBytes

enum ClassesText: String, TextKey {
    case title, menu, emptyTitle, emptyAdvice, students

    static let section = "classes"
}

/// `/classes`: the classes that a teacher teaches now.
enum Classes: Screen {
    static var pages: [Page] {
        [
            .show("/classes", for: .teacher, menu: MenuEntry(.classes, ClassesText.menu)) {
                visit in
                let person = visit.person?.id ?? ""
                async let page = visit.api.get("/v1/classes?teacherId=\(person)&limit=200")
                async let locations = OwnPrivileges.locations(visit.api)
                return try await (
                    entries: (page["items"]?.array ?? []).compactMap(Entry.init),
                    makes: !locations.isEmpty
                )
            } render: { found, visit in
                view(found.entries, makes: found.makes, visit)
            }
        ]
    }

    struct Entry: Sendable {
        let schoolClass: Side.SchoolClass
        let students: Int

        init?(_ item: JSONValue) {
            guard let schoolClass = Side.SchoolClass(item) else { return nil }
            self.schoolClass = schoolClass
            students = item["studentIds"]?.array?.count ?? 0
        }
    }

    private static func view(_ entries: [Entry], makes: Bool, _ visit: Visit) -> View {
        let texts = visit.texts
        return View(texts(ClassesText.title)) {
            heading(texts(ClassesText.title)) {
                if makes {
                    a(.class("button button-main"), .href("/classes/new")) {
                        Icon.plus.html
                        texts(MadeClassText.new)
                    }
                }
            }
            if entries.isEmpty {
                emptyBox(
                    texts(ClassesText.emptyTitle), makes ? nil : texts(ClassesText.emptyAdvice))
            } else {
                ul(.class("grid")) { for entry in entries { card(entry, texts) } }
            }
        }
    }

    private static func card(_ entry: Entry, _ texts: Texts) -> HTML {
        let item = entry.schoolClass
        return li(.class("card card-link")) {
            div(.class("row")) {
                chip(item.name, id: item.id)
                h2 { a(.class("cover"), .href("/classes/\(item.id)"), .dirAuto) { item.name } }
            }
            p(.class("soft")) {
                dotted([
                    item.number.map(written) ?? .nothing,
                    .text(texts(ClassesText.students, count: entry.students)),
                ])
            }
        }
    }
}
