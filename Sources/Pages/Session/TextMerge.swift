/// Two versions of a text that was one before, word by word.
enum TextMerge {
    /// A word, a blank or a sign; of scripts without blanks, each character.
    private typealias Words = [Substring]

    /// Beyond this, the comparison would take too long.
    private static let wordsMax = 1500

    /// What both made of it: each one's changes, where they do not touch the same words. `nil` if they do.
    ///
    /// What both added in one place stands there in the order of the parameters.
    static func both(of was: String, _ theirs: String, _ yours: String) -> String? {
        let (old, one, other) = (words(was), words(theirs), words(yours))
        guard max(old.count, one.count, other.count) <= wordsMax else { return nil }
        let (inOne, inOther) = (kept(old, in: one), kept(old, in: other))
        var merged: Words = []
        var (o, a, b) = (0, 0, 0)
        while o < old.count || a < one.count || b < other.count {
            var next = o
            while next < old.count, inOne[next] == nil || inOther[next] == nil { next += 1 }
            let endOne = next < old.count ? inOne[next]! : one.count
            let endOther = next < old.count ? inOther[next]! : other.count
            guard let part = part(old[o..<next], one[a..<endOne], other[b..<endOther]) else {
                return nil
            }
            merged += part
            if next < old.count { merged.append(old[next]) }
            (o, a, b) = (next + 1, endOne + 1, endOther + 1)
        }
        return merged.joined()
    }

    private static func part(
        _ was: ArraySlice<Substring>, _ theirs: ArraySlice<Substring>,
        _ yours: ArraySlice<Substring>
    ) -> Words? {
        if theirs.elementsEqual(was) { return Words(yours) }
        if yours.elementsEqual(was) || yours.elementsEqual(theirs) { return Words(theirs) }
        guard was.isEmpty else { return nil }
        let isApart = theirs.last.map(isBlank) == true || yours.first.map(isBlank) == true
        return theirs + (isApart ? [] : ["\n"]) + yours
    }

    /// The text in pieces, each with whether it is new. Blanks between new words are new, too. All of it is one piece where
    /// no word is left of what was: nothing stands out then.
    static func pieces(of text: String, after was: String) -> [(text: String, isNew: Bool)] {
        let (old, now) = (words(was), words(text))
        guard max(old.count, now.count) <= wordsMax else { return [(text, false)] }
        var isNew = Array(repeating: true, count: now.count)
        for position in kept(old, in: now) { if let position { isNew[position] = false } }
        guard zip(now, isNew).contains(where: { !$0.1 && !isBlank($0.0) }) else {
            return [(text, false)]
        }
        for position in now.indices where isBlank(now[position]) {
            let before = position == 0 || isNew[position - 1]
            let after = position + 1 == now.count || isNew[position + 1]
            isNew[position] = before && after
        }
        var pieces: [(text: String, isNew: Bool)] = []
        for (word, isNew) in zip(now, isNew) {
            if pieces.last?.isNew == isNew {
                pieces[pieces.count - 1].text += word
            } else {
                pieces.append((String(word), isNew))
            }
        }
        return pieces
    }

    private static func isBlank(_ word: Substring) -> Bool { word.allSatisfy(\.isWhitespace) }

    private static func words(_ text: String) -> Words {
        let text = text.replacing("\r\n", with: "\n")
        var words: Words = []
        var start = text.startIndex
        while start < text.endIndex {
            var end = text.index(after: start)
            if isOfWord(text[start]) {
                while end < text.endIndex, isOfWord(text[end]) { end = text.index(after: end) }
            }
            words.append(text[start..<end])
            start = end
        }
        return words
    }

    /// Letters of scripts that put blanks between words; the others begin with the radicals of Chinese.
    private static func isOfWord(_ character: Character) -> Bool {
        (character.isLetter || character.isNumber)
            && character.unicodeScalars.allSatisfy { $0.value < 0x2E80 }
    }

    /// Where each word of `old` is in `now`, in a longest common sequence of both; `nil` where it is not.
    private static func kept(_ old: Words, in now: Words) -> [Int?] {
        let width = now.count + 1
        var lengths = Array(repeating: Int32(0), count: (old.count + 1) * width)
        for i in old.indices.reversed() {
            for j in now.indices.reversed() {
                lengths[i * width + j] =
                    old[i] == now[j]
                    ? lengths[(i + 1) * width + j + 1] + 1
                    : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
            }
        }
        var positions: [Int?] = Array(repeating: nil, count: old.count)
        var (i, j) = (0, 0)
        while i < old.count, j < now.count {
            if old[i] == now[j] {
                positions[i] = j
                (i, j) = (i + 1, j + 1)
            } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
                i += 1
            } else {
                j += 1
            }
        }
        return positions
    }
}
