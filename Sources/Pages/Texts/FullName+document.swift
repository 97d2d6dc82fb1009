import Contract
import JSONBytes
import Values

extension FullName {
    /// The name of a person whom a document of the API shows with its parts; `nil` where there is nobody.
    init?(_ person: JSONValue?) {
        guard let given = person?["givenName"]?.text, let family = person?["familyName"]?.text
        else {
            return nil
        }
        self.init(
            given: given, family: family,
            isFamilyFirst: person?["nameOrder"]?.text == "familyFirst")
    }

    /// The name in its parts; `nil` where there is nobody.
    init?(_ given: String?, _ family: String?, _ order: Word<NameOrder>?) {
        guard let given, let family else { return nil }
        self.init(given: given, family: family, isFamilyFirst: order == .familyFirst)
    }

    /// The first letters of both names, in their order.
    var initials: String {
        isFamilyFirst
            ? "\(family.prefix(1))\(given.prefix(1))" : "\(given.prefix(1))\(family.prefix(1))"
    }
}
