import Contract
import HTTPServer
import HTTPWire

/// `/imports/new`: takes an archive and passes it on while it arrives. It is previewed: nothing changes until someone
/// has read what would, and approved it.
enum ImportUpload: Screen {
    static var pages: [Page] {
        [
            .get("/imports/new", for: .directoryManager) { visit in .view(view(.none, visit)) },
            .upload("/imports/new", for: .directoryManager, send),
            .get("/imports/new/archive", for: .directoryManager) { visit in
                .response(
                    try await visit.file(
                        ImportCalls.template.asked.with(.format, visit.query("format"))
                            .with(.example, visit.query("example")).path, as: "application/zip"))
            },
        ]
    }

    /// How every zip archive with a file in it begins.
    private static let signature = Array("PK\u{3}\u{4}".utf8)

    private static func send(_ form: Form, _ visit: Visit) async throws -> Answer {
        guard let file = form.file, !file.name.isEmpty else {
            return refused(.errorNoFile, 422, visit)
        }
        guard try await file.begins(with: signature) else {
            return refused(.errorNotZip, 422, visit)
        }
        do {
            let queued = try await visit.api.upload(
                file, as: "application/zip",
                to: ImportCalls.upload.asked.with(.mode, ImportMode.preview.rawValue)
                    .with(.fileName, name(of: file)))
            return .redirect(
                "/imports/\(queued.id)", notice: Notice(ImportsText.noticeSent))
        } catch let refusal as Refusal {
            switch (refusal.status, refusal.code) {
            case (413, _): return refused(.errorTooLarge, 413, visit)
            case (_, "too_many_imports"): return refused(.errorQueue, refusal.status, visit)
            default: throw refusal
            }
        }
    }

    /// What the browser calls the file, as far as it can be shown in one line; `nil` if nothing is left of it.
    private static func name(of file: SentFile) -> String? {
        let unprintable: Set<Unicode.GeneralCategory> = [
            .control, .format, .lineSeparator, .paragraphSeparator,
        ]
        let base = file.name.split { $0 == "/" || $0 == "\\" }.last ?? ""
        let scalars = base.unicodeScalars.filter {
            !unprintable.contains($0.properties.generalCategory)
        }
        let name = String(String.UnicodeScalarView(scalars.prefix(200)))
        return String(name.trimmed).nilIfEmpty
    }

    private static func refused(_ key: ImportsText, _ status: Int, _ visit: Visit) -> Answer {
        var problems = FormProblems()
        problems.add("archive", visit.texts(key))
        return .view(view(problems, visit).refused(status))
    }

    private static func view(_ problems: FormProblems, _ visit: Visit) -> View {
        let texts = visit.texts
        let title = texts(ImportsText.upload)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                Console.crumbs(texts, [("/imports", .text(texts(ImportsText.title)))])
                heading(title, below: .text(texts(ImportsText.uploadIntro)))
            }
            problems.summary(texts(ImportsText.notSent))
            section(.class("card reading")) {
                uploadForm(visit, "/imports/new") {
                    field(
                        "archive", label: texts(ImportsText.archive),
                        hint: texts(ImportsText.archiveHint), problem: problems["archive"],
                        .type("file"), Attribute("accept", ".zip,application/zip"))
                    div(.class("row")) {
                        button(.class("button button-main"), .type("submit")) {
                            texts(ImportsText.send)
                        }
                        a(.class("button"), .href("/imports")) { texts(ConsoleText.cancel) }
                    }
                    howFar(texts)
                }
            }
            samples(texts)
        }
    }

    /// Archives to fill in, and to look at.
    private static func samples(_ texts: Texts) -> HTML {
        section(.class("stack reading")) {
            h2 { texts(ImportsText.samples) }
            p(.class("soft")) { texts(ImportsText.samplesAdvice) }
            ul(.class("plain")) {
                for format in ImportFormat.allCases {
                    let path = LocalPath("/imports/new/archive").with("format", format.rawValue)
                    li {
                        dotted([
                            .text(format.name),
                            link(path, ImportsText.template, format.name, texts),
                            link(
                                path.with("example", "true"), ImportsText.example, format.name,
                                texts),
                        ])
                    }
                }
            }
        }
    }

    private static func link(
        _ path: LocalPath, _ key: ImportsText, _ format: String, _ texts: Texts
    ) -> HTML {
        a(.href(path), .label("\(format): \(texts(key))")) { texts(key) }
    }

    /// Shown by the script while the file is on its way.
    private static func howFar(_ texts: Texts) -> HTML {
        div(
            .class("meter meter-l"), .role("status"), Attribute("hidden"),
            Attribute("data-progress", texts(ImportsText.sending, ["percent": "{percent}"]))
        ) {
            span(.class("number"))
            progress(.value("0"), Attribute("max", "100"), .hidden)
        }
    }
}
