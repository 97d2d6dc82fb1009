import BrowserKit
import JSONBytes
import Testing

@testable import ServerKit

extension Stories {
    /// What an administrator does in the browser.
    @Suite struct Administrators {
        @Test func `an administrator helps somebody who forgot the password`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Administrator")
                #expect(try window.text.contains("have never signed in"))
                try window.press("People")
                try window.fill("Name or managed ID", with: "Castell")
                try window.press("Search")
                try window.press("Mira Castell")
                try window.press("Set a temporary password")
                let password = try #require(
                    try window.run(
                        "return document.querySelector('.secret').textContent"
                    ).text)
                let student = try school.window()
                try student.fill("Managed ID", with: "mira.castell@harbour.example")
                try student.fill("Password", with: password)
                try student.press("Sign in")
                #expect(try student.title.hasPrefix("Choose a new password"))
                try student.open(school.url("/my-work"))
                #expect(try student.title.hasPrefix("Choose a new password"), "no way around it")
                try student.fill("New password", with: "green-boat-77")
                try student.fill("Current password", with: password)
                try student.press("Save new password")
                #expect(try student.location == "/my-work")
            }
        }

        @Test func `an administrator makes a person, and thinks better of it`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Administrator", runsScripts: false)
                try window.press("People")
                try window.press("New person")
                try window.fill("Given name", with: "Zoë")
                try window.fill("Family name", with: "d’Arc")
                try window.choose("Student", in: "Role")
                try window.choose("Harbour Lower School", in: "Location")
                try window.press("Add person")
                #expect(try window.text.contains("Zoë d’Arc"))
                try window.press("Deactivate")
                try window.press("Deactivate")
                #expect(try window.text.contains("Deactivated"))
            }
        }
    }
}
