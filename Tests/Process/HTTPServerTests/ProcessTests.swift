import AloneKit
import EventLoop
import Foundation
import Glibc
import Synchronization
import Testing
import WaitKit

/// What the engine takes from the machine, seen from outside, in a process of its own.
@Suite struct Processes {
    @Test func `a gigabyte in and a quarter out, beside slow peers, take no memory`()
        async throws
    {
        let engine = try Engine()
        defer { engine.kill() }
        let grown = try await blocking {
            Result { () throws -> Int in
                // What the first exchanges allocate for good.
                #expect(engine.upload(16 << 20))
                #expect(engine.download(16 << 20))
                let slow = SlowPeers(engine)
                let before = try engine.peakKiB()
                #expect(engine.upload(1 << 30))
                #expect(engine.download(256 << 20))
                #expect(slow.areAlive())
                return try engine.peakKiB() - before
            }
        }.get()
        #expect(grown < 16 * 1024)
    }

    @Test(.alone) func `without a free descriptor it waits, makes room, and continues`()
        async throws
    {
        let engine = try Engine()
        defer { engine.kill() }
        try await blocking {
            Result { () throws -> Void in
                // By its first answer it has opened everything it keeps.
                let first = TestClient(port: engine.port)
                first.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(first.receiveAll().hasPrefix("HTTP/1.1 200"))
                let used = try engine.descriptorCount()
                try engine.limitDescriptors(toMore: 3)
                // Idle connections make room for others.
                let clients = (0..<12).map { _ in
                    let client = TestClient(port: engine.port)
                    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
                for client in clients { #expect(client.answer()?.status == 200) }
                for client in clients { client.close() }
                // Busy connections do not.
                let busy = (0..<3).map { _ in TestClient(port: engine.port) }
                for client in busy { client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n") }
                #expect(try becomes { try engine.descriptorCount() >= used + 3 })
                let late = TestClient(port: engine.port)
                late.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                late.setTimeout(seconds: 1)
                let before = try engine.processorTicks()
                #expect(late.answer() == nil)
                let spent = try engine.processorTicks() - before
                #expect(spent < 50, "of a hundred ticks: it does not try again and again")
                busy[0].close()
                late.setTimeout(seconds: 20)
                #expect(late.answer()?.status == 200)
            }
        }.get()
    }
}

/// A process of the executable `engine-under-test`.
private final class Engine: @unchecked Sendable {
    private let process = Process()
    let port: UInt16

    init() throws {
        let said = Pipe()
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = own.deletingLastPathComponent().appending(path: "engine-under-test")
        process.standardOutput = said
        try process.run()
        let text = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(UInt16(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func read(_ file: String) throws -> String {
        try String(contentsOfFile: "/proc/\(process.processIdentifier)/\(file)", encoding: .utf8)
    }

    /// The most memory that it ever used at once.
    func peakKiB() throws -> Int {
        let line = try read("status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    /// Processor time it has used, in hundredths of a second.
    func processorTicks() throws -> Int {
        let fields = try read("stat").split(separator: ")").last?.split(separator: " ") ?? []
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    func descriptorCount() throws -> Int {
        try descriptors().count
    }

    private func descriptors() throws -> Set<Int> {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return try Set(
            FileManager.default.contentsOfDirectory(atPath: folder).compactMap { Int($0) })
    }

    /// Lets it open that many more; those it already has may have any number.
    func limitDescriptors(toMore count: Int) throws {
        let taken = try descriptors()
        let free = (0...).lazy.filter { !taken.contains($0) }.prefix(count)
        let limit = (Array(free).last ?? 0) + 1
        let command = Process()
        command.executableURL = URL(filePath: "/usr/bin/prlimit")
        command.arguments = ["--pid", "\(process.processIdentifier)", "--nofile=\(limit):"]
        try command.run()
        command.waitUntilExit()
        try #require(command.terminationStatus == 0)
    }

    /// Whether the body arrived whole.
    func upload(_ count: Int) -> Bool {
        let client = TestClient(port: port)
        client.send("PUT /drop HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n")
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<(count >> 20) where !client.send(piece) { return false }
        return client.answer()?.body == "\(count)"
    }

    /// Whether the answer arrived whole.
    func download(_ count: Int) -> Bool {
        let client = TestClient(port: port)
        client.send("GET /stream/\(count) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        var received = 0
        while case let more = client.receive(atMost: 1 << 20), !more.isEmpty {
            received += more.count
        }
        return received > count
    }
}

/// Peers that send a gigabyte, or read a quarter, as slowly as a school's line.
private final class SlowPeers: @unchecked Sendable {
    private let senders: [TestClient]
    private let takers: [TestClient]
    private let isStopped = Atomic(false)
    private let done = Semaphore()

    init(_ engine: Engine) {
        senders = (0..<16).map { _ in TestClient(port: engine.port) }
        takers = (0..<16).compactMap { _ in
            TestClient(ifListening: engine.port, receiveBuffer: 65_536)
        }
        for sender in senders {
            sender.send("PUT /drop HTTP/1.1\r\nHost: x\r\nContent-Length: \(1 << 30)\r\n\r\n")
        }
        for taker in takers {
            taker.send("GET /stream/\(256 << 20) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        startThread { [self] in
            let piece = [UInt8](repeating: 7, count: 4096)
            while !isStopped.load(ordering: .acquiring) {
                for sender in senders { sender.send(piece) }
                for taker in takers { _ = taker.receiveWhatIsThere(atMost: 4096) }
                usleep(50_000)
            }
            done.signal()
        }
    }

    /// Ends them; returns `false` if the engine gave up on one of them.
    func areAlive() -> Bool {
        isStopped.store(true, ordering: .releasing)
        done.wait()
        return senders.allSatisfy { !$0.isReset && $0.receiveWhatIsThere(atMost: 1) == 0 }
            && takers.allSatisfy { !$0.isReset }
    }
}
