import Archive
import CSV
import Contract

/// The content of `manifest.csv` in a OneRoster archive.
struct OneRosterManifest {
    static let fileName = "manifest.csv"
    /// In bytes; a manifest has about thirty short lines.
    private static let sizeMax = 64 * 1024

    let version: OneRosterVersion
    /// The mode (bulk or delta) of each file that is listed, by its name without `.csv`.
    let modes: [String: OneRosterFile.Mode]

    /// Reads it; `nil` if nothing else can be read with it, with every reason in the findings.
    init?(_ reader: ZipReader, _ entry: ZipReader.Entry, findings: inout ImportFindings) {
        let before = findings.count
        guard let lines = OneRosterManifest.lines(reader, entry, &findings) else { return nil }
        var values: [String: String] = [:]
        for line in lines where values.updateValue(line.value, forKey: line.name) != nil {
            OneRosterManifest.add(line.number, "\(shown(line.name)) is listed twice.", &findings)
        }
        if values["manifest.version"] != "1.0" {
            OneRosterManifest.add(nil, "It must contain: manifest.version,1.0.", &findings)
        }
        guard let version = values["oneroster.version"].flatMap({ OneRosterVersion(rawValue: $0) })
        else {
            OneRosterManifest.add(
                nil, "It must contain: oneroster.version,1.1 or oneroster.version,1.2.", &findings)
            return nil
        }
        self.version = version
        let names = OneRosterFile.names(of: version)
        var modes: [String: OneRosterFile.Mode] = [:]
        for line in lines where line.name.hasPrefix("file.") {
            let name = String(line.name.dropFirst(5))
            let mode = ["bulk", "delta"].contains(line.value)
            if !names.contains(name) {
                OneRosterManifest.add(
                    line.number,
                    "OneRoster \(version.rawValue) has no file \(shown(name)).", &findings)
            } else if mode {
                modes[name] = OneRosterFile.Mode(rawValue: line.value)
            } else if line.value != "absent" {
                OneRosterManifest.add(
                    line.number, "\(line.name) must be absent, bulk or delta.", &findings)
            }
        }
        self.modes = modes
        guard findings.count == before else { return nil }
    }

    /// Reads what of it is needed: the version, and the modes of the files that are used. `nil` without them.
    init?(
        meant reader: ZipReader, _ entry: ZipReader.Entry, notes: inout ImportNotes,
        findings: inout ImportFindings
    ) {
        let before = findings.count
        guard let lines = OneRosterManifest.meantLines(reader, entry, &notes, &findings) else {
            return nil
        }
        let versions = lines.filter { $0.name == "oneroster.version" }.map(\.value)
        guard let version = versions.compactMap(OneRosterVersion.init(meant:)).first else {
            OneRosterManifest.add(
                nil, "It must contain: oneroster.version,1.1 or oneroster.version,1.2.", &findings)
            return nil
        }
        self.version = version
        var modes: [String: OneRosterFile.Mode] = [:]
        var given: [String: String] = [:]
        for file in OneRosterFile.files(of: version) {
            for line in lines where line.name == "file.\(file.rawValue)".lowercased() {
                let word = line.value.lowercased()
                if let other = given.updateValue(word, forKey: file.rawValue), other != word {
                    OneRosterManifest.add(
                        line.number,
                        "\(line.name) is listed twice, as \(shown(other)) and \(shown(word)).",
                        &findings)
                }
                switch word {
                case "bulk": modes[file.rawValue] = .bulk
                case "delta": modes[file.rawValue] = .delta
                case "absent", "": break
                default:
                    OneRosterManifest.add(
                        line.number, "\(line.name) must be absent, bulk or delta.", &findings)
                }
            }
        }
        self.modes = modes
        guard findings.count == before else { return nil }
    }

    /// The lines, with names in small letters; `nil` if it cannot be read.
    private static func meantLines(
        _ reader: ZipReader, _ entry: ZipReader.Entry, _ notes: inout ImportNotes,
        _ findings: inout ImportFindings
    ) -> [Line]? {
        do {
            var bytes: [UInt8]? = try reader.read(entry, limit: sizeMax)
            let opening = try CSVOpening {
                defer { bytes = nil }
                return bytes
            }
            var csv = CSVReader(options: CSVOptions.standard.lenient(opening)) {
                try opening.next()
            }
            var lines: [Line] = []
            while let record = try csv.next() {
                if let flaw = record.flaw { throw flaw }
                let values = record.fields.map { text in
                    String(decoding: Array(text.utf8)[...].trimmedText, as: UTF8.self)
                }
                guard values.count > 1, !values[0].isEmpty else { continue }
                lines.append(
                    Line(number: record.line, name: values[0].lowercased(), value: values[1]))
            }
            let isExact = lines.contains { $0.name == "manifest.version" && $0.value == "1.0" }
            if !isExact || lines.first?.value != "value" || !opening.notes.isEmpty {
                notes.add(.manifestMended)
            }
            return lines
        } catch let error as CSVError {
            findings.add(ImportFinding(unreadable: error, file: fileName).coded(.invalidManifest))
        } catch let error as ArchiveError {
            findings.add(error.finding)
        } catch {
            add(nil, "It cannot be read.", &findings)
        }
        return nil
    }

    private struct Line {
        let number: Int
        let name: String
        let value: String
    }

    /// The lines after the header; `nil` if it cannot be read.
    private static func lines(
        _ reader: ZipReader, _ entry: ZipReader.Entry, _ findings: inout ImportFindings
    ) -> [Line]? {
        do {
            let bytes = try reader.read(entry, limit: sizeMax)
            let records = try CSVReader.records(of: bytes, options: .standard)
            guard records.first?.fields == ["propertyName", "value"] else {
                add(1, "The header must be: propertyName,value.", &findings)
                return nil
            }
            return records.dropFirst().map {
                Line(number: $0.line, name: $0[0], value: $0[1])
            }
        } catch let error as CSVError {
            add(error.line, error.text, &findings)
        } catch let error as ArchiveError {
            findings.add(error.finding)
        } catch {
            add(nil, "It cannot be read.", &findings)
        }
        return nil
    }

    private static func add(_ line: Int?, _ text: String, _ findings: inout ImportFindings) {
        findings.add(ImportFinding(.invalidManifest, file: fileName, line: line, text))
    }
}

extension CSVOptions {
    /// RFC 4180, with semicolons where the header has them.
    static var standard: CSVOptions {
        var options = CSVOptions.rfc4180
        options.separator = .detected
        return options
    }
}

extension OneRosterVersion {
    /// The version that is meant: `1.1.1` is read as 1.1.
    fileprivate init?(meant text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        self.init(rawValue: parts.prefix(2).joined(separator: "."))
    }
}

extension ImportFinding {
    /// The same with another code.
    fileprivate func coded(_ code: Code) -> ImportFinding {
        ImportFinding(code, file: file, line: line, column: column, text)
    }
}
