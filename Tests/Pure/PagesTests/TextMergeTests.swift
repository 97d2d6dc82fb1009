import HTTPWire
import JSONBytes
import Testing

@testable import Pages

/// Longer texts that two people change.
@Suite struct MergedTexts {
    private static let was = "Look, read, draw."

    @Test(
        arguments: [
            (
                was, "Look, read, draw. Bring a compass.", "Look, read, draw. Then answer.",
                "Look, read, draw. Bring a compass. Then answer."
            ),
            (was, "Look, draw.", "Look, read, draw twice.", "Look, draw twice."),
            (
                was, "First look, read, draw.", "Look, read, draw.\r\nThen stop.",
                "First look, read, draw.\nThen stop."
            ),
            (was, "Look, read, paint.", "Look, read, write.", nil),
            (was, was, "Anything", "Anything"), (was, "Same", "Same", "Same"),
            ("", "One", "Two", "One\nTwo"), ("看，读，画。", "看，读，画。带尺。", "先看，读，画。", "先看，读，画。带尺。"),
        ] as [(String, String, String, String?)])
    func `what both changed in other places is put together, and nothing is guessed`(
        was: String, theirs: String, yours: String, both: String?
    ) {
        #expect(TextMerge.both(of: was, theirs, yours) == both)
    }

    @Test func `what is new in a text stands out, unless all of it is`() {
        func pieces(_ text: String) -> [String] {
            TextMerge.pieces(of: text, after: Self.was).map { $0.isNew ? "+\($0.text)" : $0.text }
        }
        #expect(pieces(Self.was) == [Self.was])
        #expect(pieces(Self.was + " Bring a pen.") == [Self.was + " ", "+Bring a pen."])
        #expect(pieces("Quite another text") == ["Quite another text"])
    }

    @Test func `no text is so long that it holds up others`() {
        let long = String(repeating: "word ", count: 5000)
        #expect(TextMerge.both(of: long, long + "a", "b " + long) == nil)
        #expect(TextMerge.pieces(of: long + "a", after: long).count == 1)
    }

    // MARK: On the page

    private static let path = "/announcements/a1/edit"
    private static let call = "PATCH /v1/announcements/a1"

    /// The page that asks, after a colleague and the visitor added something to one announcement.
    private func asked(
        theirs: String, yours: String
    ) async throws -> (browser: Browser, page: Browser.Shown) {
        func announcement(_ text: String) -> JSONValue {
            [
                "id": "a1", "classId": "c1", "text": .text(text), "authorId": "p1",
                "createdAt": "2026-11-20T08:00:00.000Z",
            ]
        }
        let read = "GET /v1/announcements/a1"
        let browser = TeacherBrowser.make([
            read: (200, announcement(Self.was)), Self.call: (200, announcement(Self.was)),
            "GET /v1/changes/latest": (
                200,
                [
                    "at": "2026-11-22T10:00:00.000Z",
                    "changedBy": ["id": "p2", "givenName": "Jonas", "familyName": "Weiß"],
                ]
            ),
        ])
        browser.api.keepVersions()
        let form = try #require(
            SentForm(try await browser.get(Self.path).text, action: Self.path))
        browser.api.set(read, (200, announcement(theirs)))
        return (browser, try await browser.send(form.with("text", yours), to: Self.path))
    }

    private func saved(_ browser: Browser) -> JSONValue? {
        browser.api.body(of: Self.call)?["text"]
    }

    @Test func `who changed which announcement is said, and both together can be chosen`()
        async throws
    {
        let (browser, page) = try await asked(
            theirs: Self.was + " Bring a compass.", yours: Self.was + " Then answer.")
        #expect(
            page.text.contains(">Jonas Weiß has changed “\(Self.was)” since you opened it</h1>"))
        #expect(browser.api.queries("GET /v1/changes/latest") == ["kind=announcement&id=a1"])
        #expect(page.text.contains("<ins>") && page.text.contains("Bring a compass"))
        let form = try #require(SentForm(page.text, action: Self.path))
        #expect(form["decide-0"] == "yours" && form["anew.0.text"] == "")
        _ = try await browser.send(form.with("decide-0", "both"), to: Self.path)
        #expect(
            saved(browser) == .text(Self.was + " Bring a compass. Then answer."))
        _ = try await browser.send(
            form.with("anew.0.text", "Look. Bring a compass."), to: Self.path)
        #expect(saved(browser) == "Look. Bring a compass.", "what is written is never dropped")
    }

    @Test func `where both changed the same words, they cannot be put together`() async throws {
        let (browser, page) = try await asked(
            theirs: "Look, read, paint.", yours: "Look, read, write.")
        #expect(!page.text.contains("value=\"both\""))
        let form = try #require(SentForm(page.text, action: Self.path))
        _ = try await browser.send(form.with("anew.0.text", "  \n"), to: Self.path)
        #expect(saved(browser) == "Look, read, write.", "blanks are nothing written")
    }
}
