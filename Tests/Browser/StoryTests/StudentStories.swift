import BrowserKit
import Testing

@testable import ServerKit

extension Stories {
    /// What a student does in the browser.
    @Suite struct Students {
        @Test(arguments: [true, false])
        func `a student does the work and sees what is recorded, with scripts and without`(
            runsScripts: Bool
        ) async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Student", runsScripts: runsScripts)
                #expect(try window.text.contains("Overdue"))
                try window.press("Fractions, first round")
                #expect(try window.text.contains("Your progress is recorded"))
                try window.press("Mark as done")
                #expect(try window.text.contains("It is marked as done."))
                try window.press("Not done after all")
                #expect(try window.text.contains("It is no longer marked as done."))
                try window.press("Open in Quizzler")
                #expect(try window.text.contains("and nothing else that you do in it"))
                try window.press("My progress")
                try window.press("My grades")
                let grades = try window.text
                #expect(grades.contains("Lab report: separating mixtures"))
                #expect(grades.contains("Markbook") && grades.contains("Test: fractions"))
                #expect(!grades.contains("Test: the water cycle"), "nobody got a grade for it")
                try window.press("My progress")
                try window.press("Conditions")
                #expect(try window.text.contains("attempt"))
                try window.press("What is recorded")
                #expect(try window.title.hasPrefix("What is recorded"))
                #expect(try window.text.contains("Quizzler"))
            }
        }
    }
}
