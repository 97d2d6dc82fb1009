/// The kind of a term, larger before smaller.
enum TermKind: String, CaseIterable {
    case schoolYear
    case semester
    case term
    case gradingPeriod

    static let words = allCases.map(\.rawValue)

    /// 0 for the largest.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
