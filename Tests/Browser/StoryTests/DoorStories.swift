import BrowserKit
import JSONBytes
import Testing

@testable import ServerKit

extension Stories {
    /// Signing in and out in the browser.
    @Suite struct Doors {
        @Test func `somebody signs in by keyboard alone, and is led back`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window()
                try window.open(school.url("/progress"))
                #expect(try window.location == "/sign-in?to=%2Fprogress")
                try window.run("document.querySelector('[name=managedId]').focus()")
                try window.type("mira.castell@harbour.example")
                try window.type(.tab)
                try window.type("yellow-kite-1")
                try window.leave { try window.type(.enter) }
                #expect(try window.location == "/progress")
                let isInMain = try (0..<60).contains { _ in
                    try window.type(.tab)
                    return try window.run("return !!document.activeElement.closest('main')").bool
                        == true
                }
                #expect(isInMain)
            }
        }

        @Test func `a wrong password says so and keeps the managed ID`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window()
                try window.fill("Managed ID", with: "mira.castell@harbour.example")
                try window.fill("Password", with: "yellow-kite-2")
                try window.press("Sign in")
                #expect(try window.text.contains("The managed ID or the password is wrong"))
                #expect(try window.title.hasPrefix("Error"))
                try window.fill("Password", with: "yellow-kite-1")
                try window.press("Sign in")
                #expect(try window.location == "/my-work")
            }
        }

        @Test func `after signing out, going back shows nothing`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Student")
                try window.press("My progress")
                #expect(try window.text.contains("Mathematics 7"))
                try window.click("Mira Castell")
                try window.press("Sign out")
                #expect(try window.location.hasPrefix("/sign-in"))
                #expect(try window.text.contains("You are signed out."))
                for _ in 0..<3 {
                    try window.back()
                    #expect(try !window.text.contains("Mathematics 7"))
                }
                try window.open(school.url("/progress"))
                #expect(try window.location == "/sign-in?to=%2Fprogress")
            }
        }

        @Test func `a language is chosen before signing in and stays`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(language: "de")
                #expect(try window.text.contains("Anmelden"))
                try window.press("Sprache")
                try window.click("日本語")
                try window.press("Speichern")
                #expect(try window.text.contains("サインイン"))
                try window.press("生徒")
                #expect(try window.text.contains("やること"))
            }
        }
    }
}
