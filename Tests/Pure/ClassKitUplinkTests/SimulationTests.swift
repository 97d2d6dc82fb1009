import DeviceKit
import Foundation
import Synchronization
import Testing

@testable import ClassKitUplink

/// A device whose network fails, repeats and reorders, whose clock jumps and whose process dies at any step, ends in
/// the report of one that nothing disturbs.
@Suite struct SimulationTests {
    @Test(arguments: 0..<150)
    func `any disturbance ends in the same report`(seed: UInt64)
        async throws
    {
        let script = AppScript.random(seed: seed)
        let calm = try await play(script, seed: seed, isDisturbed: false).server
        let (device:rough, server) = try await play(script, seed: seed, isDisturbed: true)
        #expect(server.report(of: "sam") == calm.report(of: "sam"))
        #expect(server.now.contexts == calm.now.contexts)
        #expect(server.now.completions == calm.now.completions)
        #expect(rough.store.isEmpty && rough.store.now.quarantined.isEmpty)
        #expect(rough.store.now.discarded.isEmpty)
    }

    /// Otherwise the test above would prove nothing.
    @Test func `disturbances happen`() async throws {
        var deaths = 0
        var lost = 0
        var late = 0
        for seed in UInt64(0)..<20 {
            let device = try await play(
                AppScript.random(seed: seed), seed: seed, isDisturbed: true
            ).device
            deaths += device.deaths
            lost += device.wire.lost
            late += device.wire.late
        }
        #expect(deaths > 50 && lost > 50 && late > 10, "\(deaths) \(lost) \(late)")
    }

    private func play(
        _ script: [AppStep], seed: UInt64, isDisturbed: Bool
    ) async throws -> (device: Device, server: ModelServer) {
        let server = ModelServer()
        server.content.withLock { $0.tokens = ["first": "sam", "second": "sam"] }
        let device = Device(
            seed: seed, server: server, configuration: try Sample.configuration(),
            isDisturbed: isDisturbed)
        try await device.play(script)
        return (device, server)
    }
}

extension ModelServer: SimulatedServer {
    var tokens: [String] { ["first", "second"] }
    var subject: String { "sam" }
    var time: Date { now.time }

    func pass(_ seconds: Double) { content.withLock { $0.time.addTimeInterval(seconds) } }
}
