import Archive
import CSV

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
        guard let version = values["oneroster.version"].flatMap(OneRosterVersion.init) else {
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
            var options = CSVOptions.rfc4180
            options.separator = .detected
            let bytes = try reader.read(entry, limit: sizeMax)
            let records = try CSVReader.records(of: bytes, options: options)
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
