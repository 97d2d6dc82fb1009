import Archive
import CSV
import Contract
import Files

/// An archive that shows a format: empty, to be filled in, or with a small school in it.
///
/// The headers are those that imports read, so that a template never falls behind them.
struct ImportSample {
    /// What a file holds, by column; what is not named is empty.
    typealias Records = [[String: String]]

    let format: ImportFormat
    /// Whether a small school is in it.
    let isExample: Bool

    /// What the archive is called, such as `oneRoster-1.2-example.zip`.
    var name: String { "\(format.rawValue)-\(isExample ? "example" : "template").zip" }

    /// Blocks.
    ///
    /// - Parameter folder: selects the disk on which the archive is built.
    func bytes(in folder: String) throws -> [UInt8] {
        let archive = try ZipPacker(in: folder)
        for file in files {
            try archive.begin(file.name)
            try archive.write(file.bytes)
        }
        let built = try archive.finish()
        return try built.bytes(in: 0..<built.count)
    }

    private var files: [(name: String, bytes: [UInt8])] {
        switch format {
        case .appleCSV:
            Template.allCases.map { template in
                (
                    template.rawValue,
                    table(template.layout, SampleSchool.records(of: template), style: .apple)
                )
            }
        case .oneRoster1: files(of: .v1p1)
        case .oneRoster2: files(of: .v1p2)
        case .schoolDataSync:
            OneRosterFile.allCases.map { file in
                (
                    file.fileName,
                    table(
                        SchoolDataSync.layout(file, hasRoles: true),
                        SampleSchool.schoolDataSync(file), style: .plain)
                )
            }
        }
    }

    private func files(of version: OneRosterVersion) -> [(name: String, bytes: [UInt8])] {
        let used = OneRosterFile.files(of: version)
        return [(OneRosterManifest.fileName, manifest(version, used))]
            + used.map { file in
                (
                    file.fileName,
                    table(
                        file.layout(version, .bulk), SampleSchool.records(of: file, version),
                        style: .plain)
                )
            }
    }

    private func manifest(_ version: OneRosterVersion, _ used: [OneRosterFile]) -> [UInt8] {
        var writer = CSVWriter(style: .plain)
        writer.record(["propertyName", "value"])
        writer.record(["manifest.version", "1.0"])
        writer.record(["oneroster.version", version.rawValue])
        for name in OneRosterFile.names(of: version).sorted() {
            let isUsed = used.contains { $0.rawValue == name }
            writer.record(["file.\(name)", isUsed ? "bulk" : "absent"])
        }
        return writer.bytes
    }

    private func table(
        _ layout: FileLayout, _ records: Records, style: CSVWriter.Style
    ) -> [UInt8] {
        var style = style
        // By this mark a spreadsheet knows UTF-8, and saves it as UTF-8 again.
        style.beginsWithByteOrderMark = true
        var writer = CSVWriter(style: style)
        let names = layout.columns.map(\.name)
        writer.record(names)
        for record in isExample ? records : [] {
            writer.record(names.map { record[$0] ?? "" })
        }
        return writer.bytes
    }
}
