import JSONBytes
import Values

enum ImportStatusText: String, TextKey {
    case queued, running, planned, awaitingApproval, succeeded, failed, undone

    static let section = "importStatus"

    func shown(_ texts: Texts) -> HTML {
        switch self {
        case .queued: tag(texts(self), .scheduled, .info)
        case .running: tag(texts(self), .opened, .info)
        case .planned: tag(texts(self), .info, .info)
        case .awaitingApproval: tag(texts(self), .late, .warn)
        case .succeeded: tag(texts(self), .done, .good)
        case .failed: tag(texts(self), .cross, .bad)
        case .undone: tag(texts(self), .returned, .line)
        }
    }

    /// Whether it still works by itself.
    var isUnderWay: Bool { self == .queued || self == .running }
    /// Whether one may order it to be applied.
    var isApprovable: Bool { self == .planned || self == .awaitingApproval }
}

/// An import, as the list of imports has it.
struct ImportSummary: Sendable {
    let id: String
    let status: ImportStatusText
    let isPreview: Bool
    /// Whether it would remove more than a tenth of something.
    let removesMuch: Bool
    let format: String?
    let errorCount: Int
    let warningCount: Int
    let archiveBytes: Int
    let createdAt: Timestamp
    let finishedAt: Timestamp?
    let undoneAt: Timestamp?
    /// From 0 to 1.
    let progress: Double
    let fileName: String?
    /// `nil` where it is unknown, or not for the visitor to see.
    let sender: Sender?

    /// The person or the script that sent it.
    struct Sender: Sendable {
        private let document: JSONValue
        /// Of a person.
        let personID: String?

        init?(_ document: JSONValue?) {
            guard let document, document["name"]?.text ?? document["familyName"]?.text != nil
            else { return nil }
            self.document = document
            personID = document["kind"]?.text == "person" ? document["id"]?.text : nil
        }

        var name: String { document["name"]?.text ?? FullName(document)?.text ?? "" }
    }

    init?(_ item: JSONValue) {
        guard let id = item["id"]?.text,
            let status = item["status"]?.text.flatMap(ImportStatusText.init(rawValue:)),
            let createdAt = item["createdAt"]?.text.flatMap({ Timestamp($0) })
        else { return nil }
        self.id = id
        self.status = status
        self.createdAt = createdAt
        finishedAt = item["finishedAt"]?.text.flatMap { Timestamp($0) }
        undoneAt = item["undoneAt"]?.text.flatMap { Timestamp($0) }
        isPreview = item["mode"]?.text == "preview"
        removesMuch = item["removesMuch"]?.bool == true || status == .awaitingApproval
        format = item["format"]?.text
        errorCount = Int(item["errorCount"]?.int64 ?? 0)
        warningCount = Int(item["warningCount"]?.int64 ?? 0)
        progress = item["progress"]?.double ?? 0
        fileName = item["fileName"]?.text
        sender = Sender(item["sentBy"])
        archiveBytes = Int(item["archiveBytes"]?.int64 ?? 0)
    }

    /// The formats by what the API calls them, with their names, which are the same in every language.
    static let formats: [(id: String, name: String)] = [
        ("appleCSV", "Apple School Manager CSV"), ("oneRoster-1.1", "OneRoster 1.1"),
        ("oneRoster-1.2", "OneRoster 1.2"), ("schoolDataSync", "Microsoft School Data Sync"),
    ]

    /// The name of the format; empty until it is known.
    var formatName: String { Self.formats.first { $0.id == format }?.name ?? "" }

    /// Until when it can be undone; `nil` for what was not applied.
    var undoableUntil: Timestamp? {
        guard status == .succeeded, let finishedAt else { return nil }
        return Timestamp(
            milliseconds: finishedAt.milliseconds
                + ImportUndoPage.days * 86_400_000)
    }

    /// Such as `164 kB`.
    func size(_ texts: Texts) -> String {
        let kilobytes = (archiveBytes + 999) / 1000
        guard kilobytes >= 1000 else {
            return texts(ImportsText.kilobytes, ["size": texts.number(kilobytes)])
        }
        return texts(
            ImportsText.megabytes, ["size": texts.number(Double(archiveBytes) / 1e6, decimals: 1)])
    }
}
