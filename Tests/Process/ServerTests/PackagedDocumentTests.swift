import Foundation
import TestKit
import Testing

@testable import Server
@testable import ServerKit

/// The guides, files and manual pages that the package installs, laid out as its rules do it.
@Suite struct PackagedDocuments {
    private static let makers = Guides.root.appending(path: "deploy/debian").path

    private func python(_ words: String...) async throws -> Homeroom.Run {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = words
        return try await Homeroom.finish(process)
    }

    /// Gives the body a folder, in which the files are installed from a copy of `deploy` that was changed before.
    private func withFiles(
        change: (_ deploy: String) throws -> Void = { _ in },
        _ body: (_ run: Homeroom.Run, _ root: String) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "documents-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: "\(folder)/deploy", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["README.md", "guides", "proxies", "high-availability", "monitoring"] {
            try FileManager.default.copyItem(
                atPath: Guides.root.appending(path: "deploy/\(name)").path,
                toPath: "\(folder)/deploy/\(name)")
        }
        try change("\(folder)/deploy")
        let run = try await python(
            "\(Self.makers)/documents.py", "\(folder)/deploy", "\(folder)/root")
        try await body(run, "\(folder)/root")
    }

    @Test func `every link of an installed guide leads to an installed file`() async throws {
        try await withFiles { run, root in
            #expect(run.status == 0, "\(run.complaints)")
            let documents = "\(root)/usr/share/doc/homeroom"
            let paths = try FileManager.default.subpathsOfDirectory(atPath: documents)
                .filter { $0.hasSuffix(".md") }
            // All of the checkout's, with the index.
            #expect(paths.count == GuideCommands.guides.count + 1)
            var count = 0
            for path in paths {
                let text = try String(contentsOfFile: "\(documents)/\(path)", encoding: .utf8)
                let folder = URL(filePath: "\(documents)/\(path)").deletingLastPathComponent()
                for link in text.matches(of: /\]\(([^)#]+)(#[^)]*)?\)/).map({ String($0.1) })
                where !link.hasPrefix("https://") {
                    count += 1
                    let target = folder.appending(path: link).standardizedFileURL.path
                    // What debhelper makes of the changelog.
                    let isThere =
                        target.hasSuffix("/usr/share/doc/homeroom/changelog.gz")
                        || FileManager.default.fileExists(atPath: target)
                    #expect(isThere, "\(path): \(link)")
                }
                #expect(
                    !text.contains(/deploy\/(guides|proxies|high-availability|monitoring)/),
                    "\(path)")
            }
            #expect(count > 150)
        }
    }

    @Test func `the page that an alert names is there`() async throws {
        try await withFiles { run, root in
            #expect(run.status == 0, "\(run.complaints)")
            let alerts = try String(
                contentsOfFile: "\(root)/usr/share/homeroom/monitoring/alerts.yml", encoding: .utf8)
            let books = alerts.matches(of: /runbook: (\S+)/).map { String($0.1) }
            #expect(books.count > 20)
            for book in books {
                #expect(FileManager.default.fileExists(atPath: root + book), "\(book)")
            }
        }
    }

    @Test func `a link that leads nowhere stops the package`() async throws {
        try await withFiles { deploy in
            let path = "\(deploy)/guides/tls.md"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try (text + "\n[gone](../proxies/gone.conf)\n").write(
                toFile: path, atomically: true, encoding: .utf8)
        } _: { run, _ in
            #expect(run.status == 1 && run.complaints.contains("gone.conf"))
        }
    }

    @Test func `the rules and the script that packs know of these files`() throws {
        let rules = try Guides.text("deploy/debian/rules")
        #expect(rules.contains("python3 debian/documents.py deploy $(root)\n"))
        #expect(rules.contains("dh_installman debian/manuals/*.1\n"))
        // Compressed, they would have other names than the links say.
        #expect(rules.contains("dh_compress --exclude=.cdx.json --exclude=.md "))
        let package = try Guides.text("deploy/package")
        for name in ["README.md", "guides", "proxies", "high-availability", "monitoring"] {
            #expect(package.contains("deploy/\(name) "), "\(name)")
        }
    }

    @Test func `every command has a manual page with all of its options`() async throws {
        let folder = NSTemporaryDirectory() + "manuals-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try await python(
            "\(Self.makers)/reference.py", Homeroom.executable, "man", folder)
        #expect(run.status == 0, "\(run.complaints)")
        func page(_ name: String) throws -> String {
            try String(contentsOfFile: "\(folder)/\(name).1", encoding: .utf8)
                .replacing("\\-", with: "-").replacing("\\(aq", with: "'")
        }
        let whole = try page("homeroom")
        for command in Program.commands {
            let name = "homeroom-" + command.name.replacing(" ", with: "-")
            let text = try page(name)
            #expect(text.contains("\(name) - \(command.summary.dropLast())\n"), "\(name)")
            for option in command.options + Subcommand.commonOptions {
                #expect(text.contains("\\fB--\(option.name)\\fR"), "\(name)")
            }
            #expect(whole.contains(".BR \(name) (1)"), "\(name)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == Program.commands.count + 1)
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        for name in names {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/groff")
            process.arguments = ["-man", "-Tutf8", "-ww", "-K", "utf-8", "\(folder)/\(name)"]
            let read = try await Homeroom.finish(process)
            #expect(read.status == 0 && read.complaints.isEmpty, "\(name): \(read.complaints)")
        }
    }
}
