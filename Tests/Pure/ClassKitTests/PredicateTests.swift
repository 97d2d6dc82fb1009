import Foundation
import Testing

@testable import ClassKit

@Suite struct PredicateTests {
    let folder: TestFolder
    let store: CLSDataStore
    let before = Date(timeIntervalSinceNow: -60)

    init() throws {
        folder = try TestFolder()
        store = folder.store()
        let book = store.mainAppContext.add("book", "Émile")
        book.topic = .literacyAndWriting
        book.universalLinkURL = URL(string: "https://example.org/book")
        book.add("chapter-1", "Chapter 1")
        book.add("chapter-2", "A second chapter").topic = .math
    }

    private func find(_ format: String, _ arguments: Any...) async throws -> String {
        try await store.contexts(
            matching: NSPredicate(format: format, argumentArray: arguments)
        ).map(\.identifier).sorted().joined(separator: " ")
    }

    @Test(arguments: [
        ("identifier = 'book'", "book"), ("identifier == \"book\"", "book"),
        ("'book' = identifier", "book"), ("identifier BEGINSWITH 'chap'", "chapter-1 chapter-2"),
        ("identifier ENDSWITH '2'", "chapter-2"),
        ("title CONTAINS 'hapter'", "chapter-1 chapter-2"),
        ("title CONTAINS 'CHAPTER'", ""), ("title CONTAINS[c] 'CHAPTER'", "chapter-1 chapter-2"),
        ("title = 'emile'", ""), ("title =[cd] 'emile'", "book"),
        ("title LIKE 'Chapter ?'", "chapter-1"), ("title LIKE '*hapter*'", "chapter-1 chapter-2"),
        ("title LIKE 'Chapter'", ""), ("identifier MATCHES 'chapter-[0-9]'", "chapter-1 chapter-2"),
        ("identifier MATCHES 'chapter'", ""),
        ("identifier IN {'book', 'chapter-2', 'x'}", "book chapter-2"),
        ("identifier != 'book' AND parent != nil", "chapter-1 chapter-2"),
        ("parent = nil", "org.example.app"), ("topic = 'math'", "chapter-2"),
        ("topic = NULL", "org.example.app"),
        ("NOT identifier BEGINSWITH 'chap'", "book org.example.app"),
        ("identifier = 'a' OR identifier = 'book' AND title = 'x'", ""),
        ("(identifier = 'book' OR identifier = 'a') && title != 'x'", "book"),
        ("! (identifier = 'book' || identifier CONTAINS '-')", "org.example.app"),
        ("TRUEPREDICATE", "book chapter-1 chapter-2 org.example.app"), ("FALSEPREDICATE", ""),
        ("universalLinkURL = 'https://example.org/book'", "book"),
        ("identifier BETWEEN {'chapter-1', 'chapter-2'}", "chapter-1 chapter-2"),
        ("identifier > 'book' and identifier <= 'chapter-1'", "chapter-1"),
        ("'hap' IN title", "chapter-1 chapter-2"),
    ])
    func `formats without arguments`(format: String, expected: String) async throws {
        #expect(try await find(format) == expected)
    }

    @Test func `arguments stand for properties, contexts, texts, dates and lists`() async throws {
        let book = try #require(store.mainAppContext.children["book"])
        #expect(try await find("parent = %@", book) == "chapter-1 chapter-2")
        #expect(
            try await find("%K = %@", CLSPredicateKeyPath.parent, book) == "chapter-1 chapter-2")
        #expect(try await find("%K = %@", "parent", book) == "chapter-1 chapter-2")
        #expect(try await find("identifier IN %@", ["book", "a"]) == "book")
        #expect(try await find("topic IN %@", [CLSContextTopic.math]) == "chapter-2")
        #expect(
            try await find("%K = %@", "universalLinkURL", URL(string: "https://example.org/book")!)
                == "book")
        #expect(try await find("dateCreated > %@ AND parent = %@", before, book) != "")
        #expect(try await find("dateCreated < %@", before) == "")
        #expect(
            try await find("dateCreated BETWEEN {%@, %@} AND topic = 'math'", before, Date())
                == "chapter-2")
        #expect(try await find("topic = %@", NSNull()) == "org.example.app")
    }

    @Test func `other predicates work as well`() async throws {
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "identifier BEGINSWITH 'chap'"),
            NSPredicate { object, _ in (object as? CLSContext)?.title == "Chapter 1" },
        ])
        let found = try await store.contexts(matching: compound)
        #expect(found.map(\.identifier) == ["chapter-1"])
    }

    @Test(arguments: [
        ("summary = 'x'", "at character 1: \"summary\" is not a property"),
        ("parent.title = 'x'", "\"parent.title\" is not a property"),
        ("identifier = 'x' XOR title = 'y'", "at character 18: Unexpected text."),
        ("identifier", "There is no comparison of this name."),
        ("identifier = ", "A property or a value is missing."),
        ("identifier = 'x", "at character 14: The text is not closed."),
        ("(identifier = 'x'", "A ) is missing."),
        ("identifier MATCHES '('", "This is not a regular expression."),
        ("identifier = %@", "There is no argument for %@."),
        ("identifier = %d", "The properties of contexts are not numbers"),
        ("dateCreated BEGINSWITH 'x'", "BEGINSWITH compares texts."),
        ("identifier =[x] 'a'", "The options of a comparison are c and d."),
        ("identifier BETWEEN 'a'", "BETWEEN needs a list of two values."),
        ("SELF = 'x'", "SELF is not supported"),
        ("ANY identifier = 'x'", "\"ANY\" is not a property"),
    ])
    func `what is not supported says so`(format: String, explanation: String) async throws {
        let arguments: [Any] = format.contains("%d") ? [1] : []
        do {
            _ = try await store.contexts(
                matching: NSPredicate(format: format, argumentArray: arguments))
            Issue.record("\(format) was not refused")
        } catch {
            #expect(CLSError.invalidArgument ~= error)
            #expect(error.localizedDescription.contains(explanation), "\(error)")
        }
    }
}
