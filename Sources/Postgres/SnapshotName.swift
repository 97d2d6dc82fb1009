/// The name of a snapshot that a transaction has exported, by which others see what it sees.
///
/// PostgreSQL takes it only as a literal. So it is checked to be what PostgreSQL makes: hexadecimal digits and hyphens.
package struct SnapshotName: Hashable, Sendable {
    package let text: String

    /// `nil` for what PostgreSQL would not have made.
    package init?(_ text: String) {
        let isSound = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isSound, (1...60).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}
