import BrowserKit
import JSONBytes
import Testing
import WaitKit

@testable import ServerKit

extension Stories {
    /// What the demonstration school shows within a minute.
    @Suite struct Demonstration {
        /// Presses the right answer, or a wrong one.
        private static func answer(_ quiz: Window, rightly: Bool) throws {
            _ = try quiz.run(
                """
                const [one, two] = document.getElementById("sum").textContent.split(" × ").map(Number);
                [...document.querySelectorAll("#answers button")]
                    .find(button => (Number(button.textContent) === one * two) === \(rightly)).click();
                """)
        }

        /// Mira's row of the report, as it stands.
        private static func row(_ report: Window) throws -> String {
            try report.run(
                """
                return [...document.querySelectorAll("tbody tr")]
                    .find(row => row.textContent.includes("Mira Castell")).textContent
                """
            ).text ?? ""
        }

        @Test func `what Mira answers in one window arrives in Rosa's report in the other`()
            async throws
        {
            try await StorySchool.tell { school in
                let rosa = try school.window(as: "Teacher")
                try rosa.press("Open the report of")
                #expect(try rosa.title == "Report: Ten sums – Homeroom")
                #expect(try !Self.row(rosa).contains("%"))
                _ = try rosa.run("window.isTheSamePage = true; return null")

                let link = "return document.querySelector('.strip a[target=_blank]').href"
                let address = try #require(try rosa.run(link).text)
                let quiz = try school.window()
                try quiz.open(address)
                #expect(
                    try becomes { try quiz.address.contains("//localhost:") }, "her own session")
                try quiz.press("Student")
                #expect(try quiz.text.contains("Quizzler in the browser"))
                try quiz.press("Allow")
                #expect(try becomes { try quiz.text.contains(" × ") })
                #expect(try quiz.address.hasSuffix("/"), "the code is out of the address")
                try Self.answer(quiz, rightly: true)
                #expect(try becomes { try Self.row(rosa).contains("10%") })
                try Self.answer(quiz, rightly: false)
                #expect(try becomes { try Self.row(rosa).contains("20%") })
                #expect(try rosa.run("return window.isTheSamePage") == true)

                for _ in 3...10 { try Self.answer(quiz, rightly: true) }
                #expect(try becomes { try quiz.text.contains("You have 9 of 10 right.") })
                #expect(try becomes { try Self.row(rosa).contains("100%") })
                #expect(try becomes { try Self.row(rosa).contains("9 of 10") })
                #expect(try rosa.location.hasPrefix("/handouts/"), "and she is still Rosa")
            }
        }

        @Test func `one press makes one another, and the task leads into the app`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Administrator")
                #expect(try window.text.contains("You are Ada."))
                try window.press("Be Mira, student")
                #expect(try window.location == "/my-work")
                try window.press("Ten sums")
                try window.press("Open in Quizzler in the browser")
                try window.press("Open in Quizzler in the browser")
                #expect(try becomes { try window.text.contains("will not") })
                try window.press("Allow")
                #expect(try becomes { try window.text.contains(" × ") })
                try Self.answer(window, rightly: true)
                #expect(try becomes { try window.text.contains("Sent.") })
                try window.open(school.url("/"))
                try window.press("Be Rosa, teacher")
                #expect(try window.title == "Report: Ten sums – Homeroom")
                #expect(try Self.row(window).contains("10%"))
            }
        }

        @Test func `who does not let the app report can think again`() async throws {
            try await StorySchool.tell { school in
                let window = try school.window(as: "Student")
                try window.open(
                    try #require(
                        try window.run(
                            "return document.querySelector('.strip a[target=_blank]').href"
                        ).text))
                #expect(try becomes { try window.title.contains("Quizzler") })
                try window.press("Do not allow")
                #expect(
                    try becomes { try window.text.contains("You have not let Quizzler report.") })
                try window.press("Sign in")
                try window.press("Allow")
                #expect(try becomes { try window.text.contains(" × ") })
            }
        }
    }
}
