import Postgres
import School
import Testing

/// One row of the table of policies: a table, all its rows by their labels, and which of them each standing
/// sees. A standing that is not named sees none.
package struct PolicyRow: CustomTestStringConvertible, Sendable {
    /// What a standing sees.
    package enum Seen: Sendable {
        /// All of Hillside.
        case all
        case only(Set<String>)
    }

    package let table: String
    /// Queries a label of each row.
    package let labels: Statement
    package let hillside: Set<String>
    package let elsewhere: Set<String>
    private let seen: [Standing: Seen]

    package var testDescription: String { table }

    package init(
        _ table: String, _ labels: Statement, hillside: Set<String>, elsewhere: Set<String>,
        seenBy: KeyValuePairs<[Standing], Seen> = [:]
    ) {
        self.table = table
        self.labels = labels
        self.hillside = hillside
        self.elsewhere = elsewhere
        var seen: [Standing: Seen] = [:]
        for (standings, what) in seenBy {
            for standing in standings { seen[standing] = what }
        }
        self.seen = seen
    }

    package func visible(to standing: Standing) -> Set<String> {
        switch seen[standing] {
        case nil: []
        case .all: hillside
        case .only(let labels): labels
        }
    }
}
