import Foundation
import Testing

@testable import QRCodes

/// Codes that a program which is not ours reads.
@Suite struct QRCodeTests {
    @Test(arguments: [
        "https://school.example/sign-in?id=mira.castell%40harbour.example", "a",
        "http://127.0.0.1:8080/sign-in",
        String(repeating: "long ", count: 100),
    ])
    func `a reader gets the text back`(text: String) throws {
        let code = try #require(QRCode(text))
        #expect(try read(code) == text)
    }

    @Test func `what does not fit is no code`() {
        #expect(QRCode("") == nil)
        #expect(QRCode("a\0b") == nil)
        #expect(QRCode(String(repeating: "a", count: 2331)) != nil)
        #expect(QRCode(String(repeating: "a", count: 2332)) == nil)
    }

    @Test func `the path has a bar for each run of dark modules`() throws {
        let code = try #require(QRCode("a"))
        #expect(code.size == 21)
        // The upper edge of the first finder pattern.
        #expect(code.path.hasPrefix("M0 0h7v1h-7z"))
        let dark = (0..<21).flatMap { row in (0..<21).map { (row, $0) } }
            .count { code.isDark(row: $0.0, column: $0.1) }
        let drawn = code.path.matches(of: /h([0-9]+)v1/).compactMap { Int($0.1) }.reduce(0, +)
        #expect(dark == drawn)
    }

    /// Lets Debian's zbarimg look at a picture of the code.
    private func read(_ code: QRCode) throws -> String {
        let (scale, quiet) = (6, 4)
        let width = (code.size + 2 * quiet) * scale
        var picture = Data("P5 \(width) \(width) 255\n".utf8)
        for y in 0..<width {
            for x in 0..<width {
                let (row, column) = (y / scale - quiet, x / scale - quiet)
                let isInside =
                    (0..<code.size).contains(row) && (0..<code.size).contains(column)
                picture.append(isInside && code.isDark(row: row, column: column) ? 0 : 255)
            }
        }
        let file = FileManager.default.temporaryDirectory
            .appending(path: "code-\(UUID().uuidString).pgm")
        try picture.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = Process()
        let output = Pipe()
        reader.executableURL = URL(filePath: "/usr/bin/zbarimg")
        reader.arguments = ["--quiet", "--raw", "--nodbus", file.path]
        reader.standardOutput = output
        try reader.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        reader.waitUntilExit()
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
