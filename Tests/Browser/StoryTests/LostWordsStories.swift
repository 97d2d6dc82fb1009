import BrowserKit
import JSONBytes
import Testing

@testable import ServerKit

extension Stories {
    /// What was typed is not lost, whatever becomes of the sign-in, the page or the connection.
    @Suite struct LostWords {
        private static let words = "Look, <read> and draw.\nBring a \"magnet\"."

        /// A teacher who has begun a handout.
        private func begun(_ school: StorySchool, runsScripts: Bool = true) throws -> Window {
            let window = try school.window(as: "Teacher", runsScripts: runsScripts)
            try window.press("Science 7")
            try window.press("New handout")
            try window.fill("Title", with: "Magnets & more")
            try window.fill("Instructions", with: Self.words)
            return window
        }

        private func typed(_ window: Window) throws -> [String] {
            let script = """
                return [...document.querySelectorAll('main [name=title], main [name=instructions]')]
                    .map(field => field.value)
                """
            return (try window.run(script).array ?? []).compactMap(\.text)
        }

        @Test(arguments: [true, false])
        func `a handout whose sign-in had ended is there again after it`(
            runsScripts: Bool
        ) async throws {
            try await StorySchool.tell { school in
                let window = try begun(school, runsScripts: runsScripts)
                try window.forget(cookie: "homeroom")
                try window.press("Save draft")
                #expect(try window.text.contains("What you wrote is not lost"))
                #expect(try !window.source.contains("Magnets"))
                try Self.look("sign-in", window)
                try window.press("Teacher")
                #expect(try window.title == "Here is what you wrote – Homeroom")
                #expect(try typed(window) == ["Magnets & more", Self.words])
                try Self.look("again", window)
                try window.press("Save draft")
                #expect(try window.title == "Science 7 – Homeroom")
                #expect(try window.text.contains("Magnets & more"))
            }
        }

        @Test func `somebody else who signs in then does not see it`() async throws {
            try await StorySchool.tell { school in
                let window = try begun(school)
                try window.forget(cookie: "homeroom")
                try window.press("Save draft")
                try window.press("Student")
                #expect(try !window.source.contains("Magnets &amp; more"))
                #expect(try keptKeys(window) == 0)
            }
        }

        @Test func `a page that is loaded again has what was typed`() async throws {
            try await StorySchool.tell { school in
                let window = try begun(school)
                try window.reload()
                #expect(try typed(window) == ["Magnets & more", Self.words])
                #expect(try window.text.contains("What you typed here before"))
                try Self.look("restored", window)
                // Once it is saved, nothing is kept.
                try window.press("Save draft")
                #expect(try window.title == "Science 7 – Homeroom")
                #expect(try keptKeys(window) == 0)
                try window.press("New handout")
                #expect(try typed(window) == ["", ""])
            }
        }

        @Test func `what was typed may be thrown away`() async throws {
            try await StorySchool.tell { school in
                let window = try begun(school)
                try window.reload()
                try window.click("Throw it away")
                #expect(try typed(window) == ["", ""])
                #expect(try keptKeys(window) == 0)
            }
        }

        @Test func `a password is never kept, and signing out keeps nothing`() async throws {
            try await StorySchool.tell { school in
                let window = try begun(school)
                #expect(try keptKeys(window) == 1)
                try window.open(school.url("/me/password"))
                try window.fill("Current password", with: "secret-kite")
                #expect(
                    try !(window.run("return Object.values(sessionStorage).join()").text ?? "")
                        .contains("secret-kite"))
                try window.click("Rosa Delgado")
                try window.press("Sign out")
                #expect(try keptKeys(window) == 0)
            }
        }

        private func keptKeys(_ window: Window) throws -> Int64? {
            try window.run(
                "return Object.keys(sessionStorage).filter(k => k.startsWith('homeroom typed')).length"
            ).int64
        }

        /// Keeps pictures for whoever asks for them.
        private static func look(_ name: String, _ window: Window) throws {
            for (width, isDark) in [(390, false), (820, true), (1440, false)] {
                try window.resize(width, dark: isDark)
                #expect(try window.overhang <= 0, "\(name) at \(width)")
                try EveryPage.keep("typed-\(name).\(width)", window)
            }
        }
    }
}
