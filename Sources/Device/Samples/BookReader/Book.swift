import ClassKit

/// A book of chapters, which are the tasks that a teacher assigns.
struct Book: Sendable {
    struct Chapter: Sendable {
        let identifier: String
        let title: String
        let pages: [String]
    }

    static let identifier = "tide-pools"
    static let title = "Tide Pools"

    static let chapters = [
        Chapter(
            identifier: "chapter-1", title: "Between Two Tides",
            pages: [
                "Twice a day the sea leaves the rocks, and twice a day it comes back.",
                "What lives between the two has to bear sun, rain and waves.",
                "In the hollows some water stays. Each hollow is a small sea.",
            ]),
        Chapter(
            identifier: "chapter-2", title: "Who Lives Here",
            pages: [
                "Limpets hold fast to the stone and wait for the water.",
                "Anemones fold in their arms when they fall dry.",
                "Crabs go from pool to pool, and back before the tide.",
            ]),
    ]
}

/// Creates the contexts of the book when something asks for them by their path.
final class Library: NSObject, CLSDataStoreDelegate {
    func createContext(
        forIdentifier identifier: String, parentContext: CLSContext, parentIdentifierPath: [String]
    ) -> CLSContext? {
        if parentIdentifierPath.isEmpty, identifier == Book.identifier {
            return CLSContext(type: .book, identifier: identifier, title: Book.title)
        }
        guard
            let place = Book.chapters.firstIndex(where: { $0.identifier == identifier }),
            parentIdentifierPath == [Book.identifier]
        else { return nil }
        let chapter = CLSContext(
            type: .chapter, identifier: identifier, title: Book.chapters[place].title)
        chapter.displayOrder = place
        return chapter
    }
}
