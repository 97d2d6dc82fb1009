import HTTPWire

/// A language of the pages.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case japanese = "ja"
    case chinese = "zh-Hans"

    /// What the language is called in itself.
    var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .japanese: "日本語"
        case .chinese: "简体中文"
        }
    }

    /// What the person chose or, without that, what the browser asks for most; otherwise English.
    init(chosen: String?, accepted: QualityList) {
        if let chosen = chosen.flatMap(Language.init(rawValue:)) {
            self = chosen
            return
        }
        self = accepted.preferred.lazy.compactMap(Language.init(range:)).first ?? .english
    }

    /// From a language range in lower case, such as `de-ch`. Any Chinese is written in simplified characters here.
    private init?(range: String) {
        switch range.prefix(while: { $0 != "-" }) {
        case "en": self = .english
        case "de": self = .german
        case "ja": self = .japanese
        case "zh": self = .chinese
        default: return nil
        }
    }

    /// A plural category of Unicode's CLDR, as far as these languages have them.
    package enum PluralForm: String, Sendable, CaseIterable {
        case one, other
    }

    /// The plural forms in which a text with a number is written.
    package var pluralForms: [PluralForm] {
        switch self {
        case .english, .german: [.one, .other]
        case .japanese, .chinese: [.other]
        }
    }

    func pluralForm(of count: Int) -> PluralForm {
        count == 1 && pluralForms.contains(.one) ? .one : .other
    }
}
