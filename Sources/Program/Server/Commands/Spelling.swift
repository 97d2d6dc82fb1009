/// Finds the word a misspelt one may stand for.
enum Spelling {
    /// The word with the fewest changes; `nil` if every word needs changes to more than a third of its letters.
    static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let ranked = words.map { (word: $0, changes: changes(from: word, to: $0)) }
        guard let best = ranked.min(by: { $0.changes < $1.changes }),
            best.changes <= max(1, best.word.count / 3)
        else { return nil }
        return best.word
    }

    /// How many letters have to be inserted, removed, replaced or swapped with their neighbour.
    static func changes(from left: String, to right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rows = [Array(0...right.count)]
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var best = min(
                    rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
