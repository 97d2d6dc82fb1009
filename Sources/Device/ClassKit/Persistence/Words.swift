/// The server's words for the numbers of ClassKit.
extension CLSContextType {
    private static let words = [
        "none", "app", "chapter", "section", "level", "page", "task", "challenge", "quiz",
        "exercise", "lesson", "book", "game", "document", "audio", "video", "course", "custom",
    ]

    var word: String { CLSContextType.words[rawValue] }

    init?(word: String) {
        guard let index = CLSContextType.words.firstIndex(of: word) else { return nil }
        self.init(rawValue: index)
    }
}

extension CLSBinaryValueType {
    private static let words = ["trueFalse", "passFail", "yesNo", "correctIncorrect"]

    var word: String { CLSBinaryValueType.words[rawValue] }

    init?(word: String) {
        guard let index = CLSBinaryValueType.words.firstIndex(of: word) else { return nil }
        self.init(rawValue: index)
    }
}

extension CLSProgressReportingCapability.Kind {
    private static let words = ["duration", "percent", "binary", "quantity", "score"]

    var word: String { CLSProgressReportingCapability.Kind.words[rawValue] }

    init?(word: String) {
        guard let index = CLSProgressReportingCapability.Kind.words.firstIndex(of: word) else {
            return nil
        }
        self.init(rawValue: index)
    }
}
