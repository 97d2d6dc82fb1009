import ClassKit

/// A book in the terminal.
@main
struct BookReader {
    static func main() async {
        // The data store does not hold it.
        let library = Library()
        CLSDataStore.shared.delegate = library
        do {
            try await read(library)
        } catch {
            print("Book Reader: \(error.localizedDescription)")
            exit(1)
        }
        exit(0)
    }

    private static func read(_ library: Library) async throws {
        let named = CommandLine.arguments.dropFirst().first ?? "chapter-1"
        guard let chapter = Book.chapters.first(where: { $0.identifier == named }) else {
            print("There is no \(named). The chapters: \(Book.chapters.map(\.identifier))")
            return
        }
        print("\(Book.title): \(chapter.title)")
        print("Return turns the page, p pauses, a reads the chapter again, q leaves.")
        // The book's clock runs on beside the chapter's.
        let book = Reading(identifierPath: [Book.identifier])
        let reading = Reading(identifierPath: [Book.identifier, chapter.identifier])
        try await book.begin()
        try await reading.begin()
        try await turnPages(of: chapter, reading)
        try await reading.stop()
        try await book.stop()
        withExtendedLifetime(library) {}
    }

    private static func turnPages(of chapter: Book.Chapter, _ reading: Reading) async throws {
        var page = 0
        while page < chapter.pages.count {
            print("\n\(chapter.pages[page])\n\(page + 1)/\(chapter.pages.count) ", terminator: "")
            switch readLine() {
            case "p":
                try await reading.stop()
                print("Paused. Return goes on. ", terminator: "")
                _ = readLine()
                try await reading.begin()
            case "a":
                try await reading.stop()
                try await reading.beginAgain()
                page = 0
            case "q", nil: return
            default:
                page += 1
                try await reading.turn(toPage: page, of: chapter.pages.count)
            }
        }
        print("\nThe end of the chapter. Are you done with it? (y/n) ", terminator: "")
        if readLine() == "y" { reading.markDone() }
    }
}
