extension Refusal {
    static func filter(_ mistake: FilterMistake) -> Refusal {
        Refusal(
            400, .invalidFilter,
            "filter: at position \(mistake.position) there should be \(mistake.expected).")
    }

    /// A path of a filter that cannot be compared like this.
    static func filter(_ path: Filter.Path, _ why: String) -> Refusal {
        Refusal(
            400, .invalidFilter,
            "filter: \(path.text.prefix(200)) at position \(path.position) \(why).")
    }
}
