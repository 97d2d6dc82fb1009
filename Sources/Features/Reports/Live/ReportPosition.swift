import Crypto
import Postgres

/// The state of a report: equal for two reads exactly if they show the same.
///
/// It is made from nothing but what the report shows, so that it cannot change because of something else.
enum ReportPosition {
    static func text(of rows: Rows) -> String {
        let digest = RunningSHA256()
        var lengths: [UInt8] = []
        rows.forEachValue(without: "generated_at") { bytes in
            withUnsafeBytes(of: Int32(bytes?.count ?? -1)) { lengths.append(contentsOf: $0) }
            if let bytes { digest.update(bytes) }
        }
        digest.update(lengths)
        return Base64.encodeURL(Array(digest.digest().bytes.prefix(15)))
    }
}
