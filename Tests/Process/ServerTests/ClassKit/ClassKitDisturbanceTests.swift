import Foundation
import JSONBytes
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// Apps written for ClassKit when something goes wrong, and when nothing may show.
@Suite struct ClassKitDisturbance {
    @Test func `an app that is killed goes on with what it saved`() async throws {
        try await withDevice { school, device, port in
            let handout = try school.newHandout(path: ["quiz"])
            try await device.run("work", "20", as: .samsApp, port: port, killingAfter: "saved 10")
            let printed = try await device.run("work", "1", as: .samsApp, port: port)
            let began = try #require(printed.first)
            #expect(["began with 0.1", "began with 0.2"].contains(began), "\(began)")
            let cell = try await school.cell(handout, of: .sam)
            #expect(cell["attempts"]?.int64 == 1)
            #expect(cell["progress"]?.double == 1)
            let seconds = try #require(cell["durationSeconds"]?.double)
            #expect(seconds > 1)
        }
    }

    @Test func `work without a network arrives later, as if nothing had been`() async throws {
        try await withDevice { school, device, port in
            let handout = try school.newHandout(path: ["addition-quiz"])
            let offline = try await device.run("quizler", as: .samsApp, port: nil)
            let online = try await Device().run("quizler", as: .suesApp, port: port)
            #expect(offline.dropLast() == online.dropLast(), "the app notices nothing")
            #expect(offline.last != "unsent: 0")
            #expect(try await school.cell(handout, of: .sam)["attempts"]?.int64 == 0)
            let printed = try await device.run("nothing", as: .samsApp, port: port)
            #expect(printed == ["unsent: 0"])
            let late = try await school.cell(handout, of: .sam)
            let prompt = try await school.cell(handout, of: .sue)
            for key in ["attempts", "progress", "primaryItem"] {
                #expect(late[key] == prompt[key], "\(key)")
            }
            #expect(late["attempts"]?.int64 == 1)
        }
    }

    @Test func `two students on one device never mix`() async throws {
        try await withDevice { school, device, port in
            let handout = try school.newHandout(path: ["addition-quiz"])
            let plays = try school.newHandout(path: ["macbeth", "act-1", "scene-1", "quiz"])
            let offline = try await device.run("quizler", as: .samsApp, port: nil)
            #expect(offline.last != "unsent: 0")
            let sues = try await device.run("plays", as: .suesApp, port: port)
            #expect(sues.contains("goes on: false"))
            #expect(try await school.cell(handout, of: .sam)["attempts"]?.int64 == 0)
            #expect(try await school.cell(handout, of: .sue)["attempts"]?.int64 == 0)
            #expect(try await school.cell(plays, of: .sue)["attempts"]?.int64 == 1)
            try await device.run("nothing", as: .samsApp, port: port)
            #expect(try await school.cell(handout, of: .sam)["attempts"]?.int64 == 1)
            #expect(try await school.cell(plays, of: .sam)["attempts"]?.int64 == 0)
            #expect(try await school.cell(handout, of: .sue)["attempts"]?.int64 == 0)
        }
    }

    @Test(arguments: ["quizler", "plays", "look-up", "duplicate"])
    func `an app sees the same whoever uses it`(program: String) async throws {
        try await withDevice { school, device, port in
            let handout = try school.newHandout(path: ["addition-quiz"])
            let given = try await device.run(program, as: .samsApp, port: port)
            for app in [Persona.bensApp, .tomsApp] {
                let printed = try await device.run(program, as: app, port: port)
                #expect(printed == given, "\(app)")
                #expect(try school.storedCount(of: app == .bensApp ? .ben : .tom) == 0)
            }
            #expect(given.last == "unsent: 0")
            let attempts = try await school.cell(handout, of: .sam)["attempts"]?.int64
            #expect(attempts == (program == "quizler" ? 1 : 0))
        }
    }

    @Test func `a play goes on where it was, until a new attempt begins`() async throws {
        try await withDevice { school, device, port in
            let handout = try school.newHandout(path: ["macbeth", "act-1", "scene-1", "quiz"])
            let first = try await device.run("plays", as: .samsApp, port: port)
            #expect(first.suffix(3) == ["goes on: false", "progress: 0.25", "unsent: 0"])
            let second = try await device.run("plays", as: .samsApp, port: port)
            #expect(second == ["goes on: true", "progress: 0.5", "unsent: 0"])
            #expect(try await school.cell(handout, of: .sam)["attempts"]?.int64 == 1)
            let third = try await device.run("plays", "as-new", as: .samsApp, port: port)
            #expect(third == ["goes on: false", "progress: 0.25", "unsent: 0"])
            let cell = try await school.cell(handout, of: .sam)
            #expect(cell["attempts"]?.int64 == 2 && cell["progress"]?.double == 0.25)
            #expect(cell["primaryItem"]?["score"]?.double == 8)
            #expect(
                try await school.items(handout, of: .sam)["Hints"]?["quantity"]?.double == 3)
        }
    }
}
