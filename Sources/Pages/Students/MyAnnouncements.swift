import JSONBytes
import Values

enum MyAnnouncementsText: String, TextKey {
    case title, older, posted

    static let section = "myAnnouncements"
}

/// What teachers announced to the student's classes lately.
struct MyAnnouncements: Sendable {
    struct Announcement: Sendable {
        let text: String
        let classID: String
        let postedAt: Timestamp
    }

    /// The newest first.
    private let all: [Announcement]

    private static let days = 14
    /// How many are shown at once; the others are folded away.
    private static let shownCount = 3

    static func load(_ visit: Visit) async throws -> MyAnnouncements {
        let start = Timestamp(
            milliseconds: visit.now.milliseconds - Int64(days) * 86_400_000)
        let list = try await visit.api.get(
            "/v1/announcements?updatedSince=\(start.description)&limit=200")
        return MyAnnouncements(list["items"]?.array ?? [])
    }

    private init(_ items: [JSONValue]) {
        all = items.compactMap { item in
            guard let text = item["text"]?.text, let postedAt = item.moment("createdAt")
            else { return nil }
            return Announcement(
                text: text, classID: item["classId"]?.text ?? "", postedAt: postedAt)
        }.sorted { $0.postedAt > $1.postedAt }
    }

    /// - Parameters:
    ///   - chosen: only those to this class.
    ///   - names: of the classes, by id.
    func list(chosen: String?, names: [String: String], _ visit: Visit) -> HTML {
        let texts = visit.texts
        let shown = all.filter { chosen == nil || $0.classID == chosen }
        guard !shown.isEmpty else { return .nothing }
        let older = shown.dropFirst(Self.shownCount)
        return section(.class("stack")) {
            h2(.id("announcements")) { texts(MyAnnouncementsText.title) }
            items(shown.prefix(Self.shownCount), names, visit)
            if !older.isEmpty {
                details(.class("fold")) {
                    summary { texts(MyAnnouncementsText.older, count: older.count) }
                    items(older, names, visit)
                }
            }
        }
    }

    private func items(
        _ items: ArraySlice<Announcement>, _ names: [String: String], _ visit: Visit
    ) -> HTML {
        ul(.class("list list-boxed"), .labelledBy("announcements")) {
            for item in items {
                li {
                    div(.class("grow")) {
                        writtenLines(item.text)
                        p(.class("small soft")) {
                            dotted([
                                names[item.classID].map(written) ?? .nothing,
                                .text(
                                    visit.texts(
                                        MyAnnouncementsText.posted,
                                        ["when": visit.moment(item.postedAt)])),
                            ])
                        }
                    }
                }
            }
        }
    }
}
