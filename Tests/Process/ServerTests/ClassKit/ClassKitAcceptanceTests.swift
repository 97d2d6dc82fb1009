import AloneKit
import Foundation
import JSONBytes
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// Apps written for ClassKit against a real server: what they see, and what the teacher sees.
@Suite struct ClassKitAcceptance {
    @Test(.alone) func `reading a book is reported with time, progress and attempts`() async throws
    {
        try await withDevice { school, device, port in
            let book = try school.newHandout(path: ["book"])
            let chapter = try school.newHandout(path: ["book", "chapter-1"])
            let printed = try await device.run("reading", as: .samsApp, port: port)
            #expect(printed.contains("running is the chapter: true"))
            #expect(printed.contains("active is the chapter: true"))
            #expect(printed.contains("another attempt: true"))
            #expect(printed.last == "unsent: 0")

            let whole = try await school.cell(book, of: .sam)
            let part = try await school.cell(chapter, of: .sam)
            #expect(whole["attempts"]?.int64 == 1 && part["attempts"]?.int64 == 2)
            #expect(part["progress"]?.double == 1, "of the latest attempt")
            // Work and pauses of half a second each: the chapter's pause counts for the book alone.
            for (cell, name) in [(whole, "book"), (part, "chapter")] {
                let line = try #require(printed.first { $0.hasPrefix("\(name): ") })
                let seconds = try #require(Double(line.split(separator: " ")[1]))
                let reported = try #require(cell["durationSeconds"]?.double)
                #expect(abs(reported - seconds) < 0.1, "\(name)")
            }
            let difference =
                try #require(whole["durationSeconds"]?.double)
                - (try #require(part["durationSeconds"]?.double))
            #expect(difference > 0.9)
            #expect(part["doneAt"] == .null, "progress 1 is not done")
        }
    }

    @Test func `completing a context marks its assignment done and no other`() async throws {
        try await withDevice { school, device, port in
            let quiz = try school.newHandout(path: ["chapter-1", "quiz-1"])
            let chapter = try school.newHandout(path: ["chapter-1"])
            try await device.run("completion", as: .samsApp, port: port)
            #expect(try await school.cell(quiz, of: .sam)["doneAt"] != .null)
            #expect(try await school.cell(chapter, of: .sam)["doneAt"] == .null)
            #expect(try await school.cell(quiz, of: .sue)["doneAt"] == .null)
        }
    }

    @Test func `a teacher finds what an app says about a quiz`() async throws {
        try await withDevice { school, device, port in
            let printed = try await device.run("science", as: .tomsApp, port: port)
            #expect(printed == ["thumbnail: none", "unsent: 0"])
            let apps = try await school.get("/v1/catalog/apps", as: .tom).json["items"]?.array ?? []
            #expect(apps.contains { $0["bundleId"]?.text == school.quizzler })
            let quiz = try #require(try await school.chooser().first)
            #expect(quiz["title"]?.text == "Measurements Quiz" && quiz["type"]?.text == "quiz")
            #expect(quiz["summary"]?.text?.hasPrefix("A short quiz to test") == true)
            #expect(quiz["suggestedAge"] == [9, 11])
            #expect(quiz["suggestedCompletionTime"] == [15, 20])
            let kinds = quiz["progressReportingCapabilities"]?.array?.compactMap {
                $0["kind"]?.text
            }
            #expect(kinds?.sorted() == ["binary", "duration", "percent", "quantity", "score"])
        }
    }

    @Test func `Quizler publishes its quizzes once and reports score and questions`() async throws {
        try await withDevice { school, device, port in
            let handout = try school.newHandout(path: ["addition-quiz"])
            for _ in 1...2 { try await device.run("quizler", as: .tomsApp, port: port) }
            #expect(
                try await school.chooser().map { $0["title"]?.text } == [
                    "Addition Quiz", "Multiplication Quiz",
                ])
            let printed = try await device.run("quizler", as: .samsApp, port: port)
            #expect(printed.contains("items: [\"Question 1\", \"Question 2\", \"Question 3\"]"))
            let cell = try await school.cell(handout, of: .sam)
            #expect(cell["primaryItem"]?["score"]?.double == 2)
            #expect(cell["primaryItem"]?["maxScore"]?.double == 3)
            #expect(cell["primaryItem"]?["title"]?.text == "Total Score")
            let items = try await school.items(handout, of: .sam)
            #expect(items["Question 1"]?["value"] == true && items["Question 2"]?["value"] == false)
        }
    }

    @Test func `a delegate is asked once for each missing context`() async throws {
        try await withDevice { school, device, port in
            let found = "found: hamlet/act-1/scene-1, literacyAndWriting"
            let first = try await device.run("look-up", as: .samsApp, port: port)
            #expect(
                first == [
                    "asked: [] hamlet", "asked: [\"hamlet\"] act-1",
                    "asked: [\"hamlet\", \"act-1\"] scene-1", found, found, "unsent: 0",
                ])
            let second = try await device.run("look-up", as: .samsApp, port: port)
            #expect(
                second
                    == [found, found, "unsent: 0"])
        }
    }

    @Test func `a provider makes lessons and then a lesson's quiz`() async throws {
        try await withDevice { school, device, port in
            let printed = try await device.run("provider", as: .tomsApp, port: port)
            #expect(
                printed == [
                    "[\"1_ide\", \"2_swift\", \"3_datatypes\"]",
                    "[\"3_datatypes\", \"3_datatypes_quiz\"]", "unsent: 0",
                ])
            #expect(
                try await school.chooser("[\"3_datatypes\"]".percentEncoded)
                    .map { $0["identifierPath"]?.array?.last?.text } == ["3_datatypes_quiz"])
        }
    }

    @Test func `a second context at a path is refused`() async throws {
        try await withDevice { school, device, port in
            let printed = try await device.run("duplicate", as: .samsApp, port: port)
            #expect(
                printed
                    == ["refused: invalidCreate", "still: First", "unsent: 0"])
        }
    }

    @Test func `a deep link opens the quiz`() async throws {
        let link =
            "classkit-\(TestIDs.quizzler)://open?path="
            + "[\"chapter-1\",\"quiz-1\"]".percentEncoded
        try await withDevice { school, device, port in
            let printed = try await device.run(
                "deep-link", link, "https://example.org/", as: .samsApp, port: port)
            #expect(
                printed
                    == ["quiz-1", "not a deep link", "unsent: 0"])
        }
    }
}

extension String {
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
