import API
import JSONBytes
import Values

/// A part of an attempt as an app sent it, of the right shape, with each value read once.
struct ActivityPart {
    let id: UUID?
    let identifierPath: [String]
    let startedAt: Timestamp?
    let stoppedAt: Timestamp?
    let modifiedAt: Timestamp?
    let durationSeconds: Double
    let progressRanges: [(start: Double, end: Double)]
    let primaryItem: Fields?
    let additionalItems: [Fields]

    init(_ fields: Fields) {
        id = fields.uuid("id")
        identifierPath = fields.texts("identifierPath") ?? []
        startedAt = fields.timestamp("startedAt")
        stoppedAt = fields.timestamp("stoppedAt")
        modifiedAt = fields.timestamp("modifiedAt")
        durationSeconds = fields.number("durationSeconds") ?? 0
        progressRanges = (fields.list("progressRanges") ?? []).map {
            (start: $0[0]?.double ?? 0, end: $0[1]?.double ?? 0)
        }
        primaryItem = fields.fields("primaryItem")
        additionalItems = fields.objects("additionalItems") ?? []
    }
}
