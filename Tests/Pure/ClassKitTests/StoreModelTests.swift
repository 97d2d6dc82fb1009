import ClassKitUplink
import Foundation
import Testing

@testable import ClassKit

/// Random work with the store, compared with a simple model of it; and a server that takes what is queued.
@Suite struct StoreModelTests {
    /// What is saved and what is not, by path.
    private struct Model {
        var saved: [[String]: String] = [:]
        var current: [[String]: String] = [:]
        /// Progress of the current attempts, in percent.
        var savedProgress: [[String]: Int] = [:]
        var progress: [[String]: Int] = [:]

        mutating func save() {
            saved = current
            savedProgress = progress
        }

        mutating func relaunch() {
            current = saved
            progress = savedProgress
        }

        mutating func remove(_ path: [String]) {
            current = current.filter { !$0.key.starts(with: path) }
            progress = progress.filter { !$0.key.starts(with: path) }
        }
    }

    /// What a server would hold that got everything that is queued.
    private func drain(_ outbox: StoreOutbox, into server: inout [[String]: String]) async throws {
        let removals = try await outbox.removals(limit: 1000)
        for removal in removals {
            server = server.filter { !$0.key.starts(with: removal.record) }
        }
        try await outbox.sent(removals.map(\.ticket))
        let contexts = try await outbox.contexts(limit: 1000)
        for context in contexts {
            let path = context.record.identifierPath
            #expect(path.count == 1 || server[path.dropLast()] != nil, "parents come first")
            server[path] = context.record.title
        }
        try await outbox.sent(contexts.map(\.ticket))
        try await outbox.sent(try await outbox.activities(limit: 1000).map(\.ticket))
    }

    @Test(arguments: 1...12)
    func `the store does what the model does`(seed: UInt64) async throws {
        var random = SeededNumbers(seed: seed)
        let folder = try TestFolder()
        var store = folder.store()
        var model = Model()
        var server: [[String]: String] = [:]
        for step in 1...150 {
            let paths = model.current.keys.sorted { "\($0)" < "\($1)" }
            let path = paths.randomElement(using: &random) ?? []
            let context = store.mainAppContext.descendant(at: path)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<7 where path.count < 5:
                let identifier = ["a", "b", "c/d"].randomElement(using: &random) ?? "a"
                guard model.current[path + [identifier]] == nil else { break }
                context?.add(identifier, "\(step)")
                model.current[path + [identifier]] = "\(step)"
            case 7..<10 where !path.isEmpty:
                context?.title = "\(step)"
                model.current[path] = "\(step)"
            case 10 where !path.isEmpty:
                // Removal takes effect on save, so that the model saves at once.
                context.map { store.remove($0) }
                #expect(await store.errorOfSave() == nil)
                model.remove(path)
                model.save()
            case 11..<15 where !path.isEmpty:
                let percent = Int.random(in: 0...100, using: &random)
                work(context, percent, isNew: percent % 4 == 0)
                let former = percent % 4 == 0 ? 0 : model.progress[path] ?? 0
                model.progress[path] = max(former, percent)
            case 15..<18:
                #expect(await store.errorOfSave() == nil)
                model.save()
            case 18:
                store = folder.store()
                model.relaunch()
            default:
                try await drain(outbox(store), into: &server)
                #expect(server == model.saved, "seed \(seed), step \(step)")
            }
            compare(store, model, "seed \(seed), step \(step)")
        }
    }

    private func work(_ context: CLSContext?, _ percent: Int, isNew: Bool) {
        let current = isNew ? nil : context?.currentActivity
        (current ?? context?.createNewActivity())?.progress = Double(percent) / 100
    }

    private func outbox(_ store: CLSDataStore) throws -> StoreOutbox {
        StoreOutbox(
            subject: "sam", database: try store.executor.sync { try store.opened() }, of: store)
    }

    private func compare(_ store: CLSDataStore, _ model: Model, _ place: String) {
        var titles: [[String]: String] = [:]
        var progress: [[String]: Int] = [:]
        for context in store.mainAppContext.subtree.dropFirst() {
            titles[context.pathBelowApp] = context.title
            progress[context.pathBelowApp] = context.currentActivity.map {
                Int(($0.progress * 100).rounded())
            }
        }
        #expect(titles == model.current, "\(place)")
        #expect(progress == model.progress, "\(place)")
    }
}

/// The same numbers for the same seed (SplitMix64).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
