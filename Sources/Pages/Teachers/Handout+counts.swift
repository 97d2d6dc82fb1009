import JSONBytes

extension Handout {
    /// How far the students of a handout are.
    struct Counts: Sendable {
        let assigned: Int
        let done: Int
        let late: Int

        init?(_ counts: JSONValue?) {
            guard let assigned = counts?["assigned"]?.int64, let done = counts?["done"]?.int64,
                let late = counts?["late"]?.int64
            else { return nil }
            self.assigned = Int(assigned)
            self.done = Int(done)
            self.late = Int(late)
        }

        /// `7 of 24 done`.
        func words(_ texts: Texts) -> String {
            texts(
                TodayText.done, ["n": texts.number(done), "all": texts.number(assigned)])
        }

        func lateTag(_ texts: Texts) -> HTML {
            guard late > 0 else { return .nothing }
            return tag(texts(ReportText.lateCount, ["n": texts.number(late)]), .late, .bad)
        }

        /// Words and a bar, for a card.
        func meter(_ texts: Texts) -> HTML {
            div(.class("meter")) {
                div(.class("row row-apart")) {
                    span(.class("number")) { words(texts) }
                    lateTag(texts)
                }
                if assigned > 0 { progressBar(Double(done) / Double(assigned)) }
            }
        }
    }
}
