import JSONBytes

extension Handout {
    /// How far the students of a handout are.
    struct Counts: Sendable {
        let assigned: Int
        let done: Int
        /// Those who have not done what was due.
        let overdue: Int

        init?(_ counts: JSONValue?) {
            guard let assigned = counts?["assigned"]?.int64, let done = counts?["done"]?.int64,
                let overdue = counts?["overdue"]?.int64
            else { return nil }
            self.assigned = Int(assigned)
            self.done = Int(done)
            self.overdue = Int(overdue)
        }

        /// `7 of 24 done`.
        func words(_ texts: Texts) -> String {
            texts(
                TodayText.done, ["n": texts.number(done), "all": texts.number(assigned)])
        }

        func overdueTag(_ texts: Texts) -> HTML {
            guard overdue > 0 else { return .nothing }
            return tag(texts(ReportText.overdueCount, ["n": texts.number(overdue)]), .late, .bad)
        }

        /// Words and a bar, for a card.
        func meter(_ texts: Texts) -> HTML {
            div(.class("meter")) {
                div(.class("row row-apart")) {
                    span(.class("number")) { words(texts) }
                    overdueTag(texts)
                }
                if assigned > 0 { progressBar(Double(done) / Double(assigned)) }
            }
        }
    }
}
