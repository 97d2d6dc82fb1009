import ClassKit
import ClassKitLinux

/// A small app for each acceptance test: it works through ClassKit as apps do, and prints what it sees.
///
/// What it prints must not depend on who the person is or what is assigned.
@main
struct Program {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            guard let name = arguments.first, let run = programs[name] else {
                print("usage: classkit-acceptance " + programs.keys.sorted().joined(separator: "|"))
                exit(2)
            }
            try await run(Array(arguments.dropFirst()))
            // A busy server may ask to come back.
            for attempt in 1...3 {
                await ClassKitLinux.synchronize()
                guard attempt < 3, try await ClassKitLinux.unsentCount() > 0 else { break }
                try await Task.sleep(nanoseconds: 1_000_000_000)
            }
            print("unsent: \(try await ClassKitLinux.unsentCount())")
        } catch {
            print("failed: \(error.localizedDescription)")
            exit(1)
        }
    }

    private static let programs: [String: ([String]) async throws -> Void] = [
        "reading": { _ in try await readBook() },
        "completion": { _ in await Seeds.finishQuiz() },
        "science": { try await publishScience(picture: $0.first) },
        "quizler": { _ in try await playQuizler() },
        "look-up": { _ in try await lookUpPlays() },
        "provider": { _ in try await runProvider() },
        "duplicate": { _ in try await addTwice() },
        "deep-link": { open($0) },
        "work": { try await work(seconds: Double($0.first ?? "") ?? 60) },
        "plays": { try await studyPlay(asNew: $0.first == "as-new") },
        "measure": { _ in try await measure() },
        "nothing": { _ in },
    ]

    /// Waits until something is so that a handler of the seeds' code brings about.
    static func wait(_ what: String, until isSo: () async throws -> Bool) async throws {
        for _ in 1...500 {
            if try await isSo() { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        throw CLSError(.invalidUpdate, userInfo: [NSLocalizedDescriptionKey: "\(what): too late"])
    }

    static func context(_ path: String...) async throws -> CLSContext {
        try await CLSDataStore.shared.mainAppContext.descendant(matchingIdentifierPath: path)
    }

    static func pause(seconds: Double) async throws {
        try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
    }
}

extension Double {
    /// With one digit, so that the little time of a call does not show.
    var tenths: String { String(format: "%.1f", self) }
}
