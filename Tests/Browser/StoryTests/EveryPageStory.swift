import BrowserKit
import Foundation
import JSONBytes
import Testing

@testable import ServerKit

/// Every kind of page on every kind of screen.
@Suite struct EveryPage {
    /// Where pictures of the pages are kept, to be looked at; `nil` if nobody will.
    private static let folder = ProcessInfo.processInfo.environment["HOMEROOM_PICTURES"].map {
        URL(filePath: $0)
    }

    @Test(arguments: ["Administrator", "Teacher", "Student"])
    func `no page is wider than its screen`(role: String) async throws {
        try await StorySchool.tell { school in
            let window = try school.window(as: role)
            var seen: Set<String> = []
            var waiting = ["/", "/me/language", "/device", "/nowhere"]
            while let target = waiting.popLast() {
                guard seen.insert(Self.kind(target)).inserted else { continue }
                try window.open(school.url(target))
                guard try window.run("return document.contentType").text == "text/html" else {
                    continue
                }
                for width in [390, 820, 1440] {
                    try window.resize(width, dark: width == 820)
                    #expect(try window.overhang <= 0, "\(role): \(target) at \(width)")
                    try Self.keep("\(role)\(Self.kind(target)).\(width)", window)
                }
                let links = try window.run(
                    "return [...document.links].map(a => a.getAttribute('href'))")
                waiting += (links.array ?? []).compactMap(\.text).filter {
                    $0.hasPrefix("/") && !$0.hasPrefix("/docs")
                }
            }
            #expect(seen.count > 10, "\(role)")
        }
    }

    static func keep(_ name: String, _ window: Window) throws {
        guard let folder else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try window.picture().write(
            to: folder.appending(path: name.replacing("/", with: "-") + ".png"))
    }

    /// What pages that show other things the same way have in common.
    private static func kind(_ target: String) -> String {
        let path = target.prefix { $0 != "?" && $0 != "#" }
            .replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "ID")
        let names = target.matches(of: /[?&]([^=&#]+)/).map { $0.1 }.sorted()
        return path + (names.isEmpty ? "" : "?" + names.joined(separator: "&"))
    }
}
