import Foundation

/// The rules that a context keeps to be saved: ClassKit's limits, and what the server accepts.
enum ContextChecks {
    /// The first broken rule. Called with the lock held.
    static func error(in context: CLSContext) -> CLSError? {
        guard context.isChanged || context.savedPath == nil && context.owner == nil else {
            return nil
        }
        return length(context) ?? tree(context) ?? content(context)
    }

    private static func length(_ context: CLSContext) -> CLSError? {
        let fields = context.fields
        for (name, text, most) in [
            ("identifier", context.identifier, 256), ("title", fields.title, 256),
            ("customTypeName", fields.customTypeName ?? "-", 256),
            ("summary", fields.summary ?? "-", 4000),
            ("universalLinkURL", fields.universalLinkURL?.absoluteString ?? "-", 2048),
        ] {
            let count = Texts.count(text)
            if count > most {
                return CLSError(
                    .limits,
                    "The \(name) of \(context.identifierPath) has \(count) characters, of at most \(most).",
                    object: context)
            }
            if count == 0 && name != "summary"
                || Texts.hasControls(text, butLines: name == "summary")
            {
                return CLSError(
                    .invalidArgument,
                    "The \(name) of \(context.identifierPath) is empty or has control characters.",
                    object: context)
            }
        }
        return nil
    }

    private static func tree(_ context: CLSContext) -> CLSError? {
        let path = context.ancestry.map(\.identifier)
        if path.count > 8 {
            return CLSError(
                .limits, "\(path) has \(path.count) levels with the app, of at most 8.",
                object: context)
        }
        let count = path.reduce(0) { $0 + $1.unicodeScalars.count }
        if count > 256 {
            return CLSError(
                .limits, "The identifiers of \(path) have \(count) characters, of at most 256.",
                object: context)
        }
        let siblings = context.parentContext?.children.ordered.count ?? 0
        if siblings > 2000, context.savedPath == nil {
            return CLSError(
                .limits,
                "\(path.dropLast()) has \(siblings) children, of at most 2,000.", object: context)
        }
        return nil
    }

    private static func content(_ context: CLSContext) -> CLSError? {
        if context.owner == nil, context.fields.type == .app {
            return CLSError(
                .invalidArgument, "Only the main app context has the type app.", object: context)
        }
        for (name, range) in [
            ("suggestedAge", context.fields.suggestedAge),
            ("suggestedCompletionTime", context.fields.suggestedCompletionTime),
        ] where range.location < 0 || range.length < 1 || range.location > Int(Int32.max) {
            return CLSError(
                .invalidArgument, "The \(name) of \(context.identifierPath) is \(range).",
                object: context)
        }
        return nil
    }
}

/// The rules that an activity keeps to be saved.
enum ActivityChecks {
    /// The first broken rule. Called with the lock held.
    static func error(in activity: CLSActivity) -> CLSError? {
        guard activity.additional.count <= 1000 else {
            return CLSError(
                .limits, "An activity has at most 1,000 additional items.", object: activity)
        }
        var identifiers: Set<String> = []
        for item in (activity.primary.map { [$0] } ?? []) + activity.additional {
            if let error = error(in: item) { return error }
            guard identifiers.insert(item.identifier).inserted else {
                return CLSError(
                    .invalidArgument,
                    "Two items of an activity have the identifier \"\(item.identifier)\".",
                    object: item)
            }
        }
        return nil
    }

    private static func error(in item: CLSActivityItem) -> CLSError? {
        for (name, text) in [("identifier", item.identifier), ("title", item.title)] {
            let count = Texts.count(text)
            if count > 256 {
                return CLSError(
                    .limits,
                    "The \(name) of an item has \(count) characters, of at most 256.", object: item)
            }
            if count == 0 || Texts.hasControls(text, butLines: false) {
                return CLSError(
                    .invalidArgument,
                    "The \(name) of an item is empty or has control characters.", object: item)
            }
        }
        return figureError(in: item)
    }

    private static func figureError(in item: CLSActivityItem) -> CLSError? {
        let isRight: Bool
        switch item {
        case let item as CLSScoreItem:
            isRight =
                isFigure(item.score) && isFigure(item.maxScore) && item.maxScore > 0
                && (0...item.maxScore).contains(item.score)
        case let item as CLSQuantityItem: isRight = isFigure(item.quantity)
        default: isRight = true
        }
        return isRight
            ? nil
            : CLSError(
                .invalidArgument,
                """
                The item "\(item.identifier)" has an impossible figure. A score is from 0 to maxScore, which is \
                greater than 0, and figures are 0 or from 1e-9 to 1e12 in size.
                """, object: item)
    }

    /// Smaller figures cannot be divided by, larger ones cannot be added up.
    private static func isFigure(_ number: Double) -> Bool {
        number == 0 || (1e-9...1e12).contains(abs(number))
    }
}

enum Texts {
    /// Whether a text has control characters.
    /// - Parameter butLines: allows line breaks and tabs.
    static func hasControls(_ text: String, butLines: Bool) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            let isControl = byte < 0x20 || byte == 0x7F || last == 0xC2 && byte < 0xA0
            if isControl, !(butLines && [0x09, 0x0A, 0x0D].contains(byte)) { return true }
            last = byte
        }
        return false
    }

    /// The number of characters as the server counts them.
    static func count(_ text: String) -> Int {
        // Nearly all texts are so short that their bytes need not be read.
        text.utf8.count <= 64 ? text.utf8.count : text.unicodeScalars.count
    }
}
