import Foundation
import JSONBytes
import TestKit
import Testing
import WaitKit

@testable import ServerKit

/// Pictures that apps written for ClassKit set.
@Suite struct ClassKitPictures {
    @Test func `the teacher's chooser shows the picture of a context`() async throws {
        try await withDevice { school, device, port in
            let picture = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/guides/report.png").path
            let printed = try await device.run("science", picture, as: .tomsApp, port: port)
            #expect(printed == ["thumbnail: 330 × 298", "unsent: 0"])
            // The server decodes it after it has answered.
            let quiz = try await awaited(until: { $0?["thumbnail"]?.text != nil }) {
                try await school.chooser().first
            }
            let place = try #require(quiz?["thumbnail"]?.text)
            let shown = try await school.get(place, as: .tom)
            #expect(shown.status == 200 && shown.header("content-type") == "image/png")
        }
    }
}
