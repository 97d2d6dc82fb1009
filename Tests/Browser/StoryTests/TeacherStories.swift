import BrowserKit
import JSONBytes
import Testing
import WaitKit

@testable import ServerKit

extension Stories {
    /// What a teacher does in the browser.
    @Suite struct Teachers {
        @Test func `a teacher reads a report down to one answer`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Teacher")
                #expect(try window.location == "/today")
                try window.press("Science 7")
                try window.press("The water cycle")
                #expect(try window.title == "Report: The water cycle – Homeroom")
                let all = try window.text
                #expect(all.contains("Class average") && all.contains("Mira Castell"))
                let rows = "return document.querySelectorAll('table tbody tr').length"
                let count = try #require(try window.run(rows).int64)
                #expect(count > 20)
                try window.press("Not done")
                let open = try #require(try window.run(rows).int64)
                #expect(open > 1 && open < count)
                try window.press("Everyone")
                try window.press("Quiz: The Water Cycle")
                #expect(try window.text.contains("Question"))
                try window.back()
                try window.press("Mira Castell")
                #expect(try window.title.hasPrefix("Mira Castell"))
                #expect(try window.text.contains("A film about water"))
            }
        }

        @Test func `a teacher compares apps and weeks, down to one student`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Teacher")
                try window.press("Science 7")
                try window.press("Grades")
                let grades = try window.text
                #expect(grades.contains("Test: the water cycle") && grades.contains("Markbook"))
                #expect(!grades.contains("Test: fractions"), "that is another class")
                try window.press("Mira Castell")
                #expect(try window.text.contains("Lab report: separating mixtures"))
                try window.press("Science 7")
                try window.press("Apps")
                try window.press("Book Reader")
                #expect(try window.title == "Book Reader – Homeroom")
                let app = try window.text
                #expect(app.contains("Quiz: Plants") && app.contains("Averages by handout"))
                try window.press("Mira Castell")
                #expect(try window.text.contains("Quiz: Plants"))
                try window.press("Science 7")
                try window.press("Week")
                let week = try window.text
                #expect(week.contains("Due in this week:"))
                // What there is to say depends on what is due by now: on the day of the week, and the hour.
                #expect(week.contains("; before that "))
                let first = "return document.querySelector('.list-boxed .cover').textContent"
                let name = try #require(try window.run(first).text)
                try window.press(name)
                #expect(try window.title == "\(name) – Homeroom")
                #expect(try window.text.contains("All work in Science 7"))
                try window.back()
                try window.press("Week before")
                #expect(try window.text.contains("Week after"))
            }
        }

        @Test(arguments: [true, false])
        func `a teacher gives a handout and a student sees it, with scripts and without`(
            runsScripts: Bool
        ) async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Teacher", runsScripts: runsScripts)
                try Self.giveHandout(window)
                #expect(try window.text.contains("Tides <and> \"moons\""))
                let student = try school.window(as: "Student")
                try student.press("Tides <and>")
                #expect(try student.text.contains("Read it twice."))
                #expect(try student.text.contains("The moon"))
            }
        }

        @Test func `an open report follows what a student does, and stays the same page`()
            async throws
        {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Teacher")
                try Self.giveHandout(window)
                try window.press("Tides <and>")
                let rows = "return document.querySelectorAll('tbody tr:not(.average)').length"
                let all = try #require(try window.run(rows).int64)
                #expect(try window.text.contains("0 of \(all) all done"))
                _ = try window.run("window.isTheSamePage = true; return null")
                let student = try school.window(as: "Student")
                try student.press("Tides <and>")
                try student.press("Mark as done")
                #expect(try becomes { try window.text.contains("1 of \(all) all done") })
                #expect(try window.run("return window.isTheSamePage") == true)
                let marked = "return document.querySelectorAll('td:has(.tag-good)').length"
                #expect(try window.run(marked).int64 == 1, "the student's cell")
                try student.press("Not done after all")
                #expect(try becomes { try window.text.contains("0 of \(all) all done") })
                #expect(try window.run("return window.isTheSamePage") == true)
            }
        }

        @Test func `a teacher reads what is new and marks it as seen`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Teacher")
                try window.press("What is new")
                #expect(try window.title == "What is new – Homeroom")
                #expect(try window.text.contains("finished"))
                try window.press("Mark all as seen")
                #expect(try window.text.contains("Everything is marked as seen."))
                let marked = "return document.querySelectorAll('.side .count').length"
                #expect(try window.run(marked).int64 == 0)
            }
        }

        private static func giveHandout(_ window: Window) throws {
            try window.press("Science 7")
            try window.press("New handout")
            try window.fill("Title", with: "Tides <and> \"moons\"")
            try window.fill("Instructions", with: "Read it twice.")
            try window.press("Link")
            try window.fill("Web address", with: "https://tides.example/moon")
            try window.fill("Name of the link", with: "The moon")
            try window.press("Add")
            #expect(try window.text.contains("The moon"))
            try window.press("Save")
            try window.press("Publish now")
        }
    }
}
