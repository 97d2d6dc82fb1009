import Foundation
import Testing

@testable import ClassKit
@testable import ClassKitLinux

@Suite struct DeepLinkTests {
    private func path(_ link: String) -> [String]? {
        URL(string: link).flatMap { ClassKitLinux.userActivity(from: $0, for: "org.example.App") }?
            .contextIdentifierPath
    }

    @Test func `a link of the app opens a context`() throws {
        #expect(
            path("classkit-org.example.app://open?path=%5B%22a%22,%22b%20c%22%5D") == ["a", "b c"])
        let url = try #require(URL(string: "classkit-org.example.app://open?path=%5B%22a%22%5D"))
        let activity = ClassKitLinux.userActivity(from: url, for: "org.example.App")
        #expect(activity?.isClassKitDeepLink == true)
    }

    @Test(arguments: [
        "https://example.org/", "classkit-org.other://open?path=%5B%22a%22%5D",
        "classkit-org.example.app://close?path=%5B%22a%22%5D", "classkit-org.example.app://open",
        "classkit-org.example.app://open?path=a", "classkit-org.example.app://open?path=%5B%5D",
        "classkit-org.example.app://open?path=%5B1%5D",
    ])
    func `other links open nothing`(link: String) {
        #expect(path(link) == nil)
    }

    @Test func `other activities are not deep links`() {
        let activity = NSUserActivity(activityType: "org.example.edit")
        activity.userInfo = ["identifierPath": ["a"]]
        #expect(!activity.isClassKitDeepLink && activity.contextIdentifierPath == nil)
    }
}

@Suite struct ProviderTests {
    let folder: TestFolder
    let store: CLSDataStore

    init() throws {
        folder = try TestFolder()
        store = folder.store()
    }

    /// Two levels of two children each.
    private struct Levels: CLSContextProvider {
        let store: CLSDataStore

        func updateDescendants(of context: CLSContext) async throws {
            guard context.identifierPath.count < 3 else { return }
            for name in ["x", "y"] { context.add("\(context.identifierPath.count)\(name)") }
            try await store.save()
        }
    }

    private struct Idle: CLSContextProvider {
        func updateDescendants(
            of context: CLSContext, completion: @escaping ((any Error)?) -> Void
        ) {}
    }

    private struct Empty: CLSContextProvider {}

    @Test func `a provider is asked breadth-first for each context that it made`() async throws {
        try await ClassKitLinux.walk(store, with: Levels(store: store), secondsPerContext: 10)
        #expect(
            folder.store().mainAppContext.subtree.map { $0.pathBelowApp.joined(separator: "/") }
                == ["", "1x", "1y", "1x/2x", "1x/2y", "1y/2x", "1y/2y"])
    }

    @Test func `a provider that does not complete is given up`() async {
        await #expect(throws: CLSError.self) {
            try await ClassKitLinux.walk(store, with: Idle(), secondsPerContext: 0.05)
        }
    }

    @Test func `a provider that implements nothing is an error, not a loop`() async {
        await #expect(throws: CLSError.self) {
            try await ClassKitLinux.walk(store, with: Empty(), secondsPerContext: 10)
        }
    }

    @Test func `the background pauses what runs, and the foreground lets it go on`() async throws {
        let clocks = TestClocks()
        let store = folder.store("sue", clocks: clocks)
        let quiz = store.mainAppContext.add("quiz")
        let running = quiz.createNewActivity()
        running.start()
        let stopped = store.root.add("other").createNewActivity()
        clocks.advance(5)
        store.enterBackground()
        #expect(!running.isStarted && store.runningActivity == nil)
        clocks.advance(1000)
        store.enterForeground()
        clocks.advance(5)
        #expect(running.isStarted && running.duration == 10 && !stopped.isStarted)
        store.enterBackground()
        let next = quiz.createNewActivity()
        store.enterForeground()
        #expect(!running.isStarted && !next.isStarted)
    }
}

@Suite struct SwiftPredicateTests {
    @Test func `a predicate of Swift finds contexts`() async throws {
        let folder = try TestFolder()
        let store = folder.store()
        store.mainAppContext.add("a", "One").displayOrder = 2
        store.mainAppContext.add("b", "Two")
        let found = try await store.contexts(
            matching: #Predicate<CLSContext> { $0.displayOrder > 1 && $0.title.starts(with: "O") })
        #expect(found.map(\.identifier) == ["a"])
    }
}

@Suite struct DependencyTests {
    @Test func `an app that uses the library links neither libpq nor the server`() throws {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/ldd")
        process.arguments = [folder.appendingPathComponent("classkit-acceptance").path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let libraries = printed.split(separator: "\n").compactMap {
            $0.split(whereSeparator: \.isWhitespace).first.map(String.init)
        }
        #expect(libraries.contains { $0.hasPrefix("libsqlite3.so") })
        for foreign in [
            "libpq", "libzip", "libpng", "libturbojpeg", "libseccomp", "libqrencode", "libargon2",
        ] {
            #expect(!libraries.contains { $0.hasPrefix(foreign) }, "\(foreign)")
        }
    }

    @Test func `the library depends on no other target of this package`() throws {
        let manifest = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../Package.swift"), encoding: .utf8)
        for line in [
            #"target("ClassKitUplink", in: .device),"#,
            #"target("ClassKit", in: .device, ["CSQLite", "ClassKitUplink"]),"#,
            #"target("ClassKitLinux", in: .device, ["ClassKit", "ClassKitUplink"]),"#,
        ] {
            #expect(manifest.contains(line), "\(line)")
        }
    }
}
