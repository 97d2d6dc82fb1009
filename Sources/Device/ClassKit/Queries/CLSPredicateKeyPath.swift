/// A property of contexts that a predicate can ask for.
public struct CLSPredicateKeyPath: RawRepresentable, Hashable, Sendable, CVarArg {
    /// The name of the property.
    public let rawValue: String

    /// Creates a key path from the name of a property.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a key path from the name of a property.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Empty: a key path is an argument of predicates only.
    public var _cVarArgEncoding: [Int] { [] }

    /// When the context was created.
    public static let dateCreated = CLSPredicateKeyPath("dateCreated")
    /// The identifier, which is unique among siblings.
    public static let identifier = CLSPredicateKeyPath("identifier")
    /// The title.
    public static let title = CLSPredicateKeyPath("title")
    /// The link that opens the context.
    public static let universalLinkURL = CLSPredicateKeyPath("universalLinkURL")
    /// The topic.
    public static let topic = CLSPredicateKeyPath("topic")
    /// The parent.
    public static let parent = CLSPredicateKeyPath("parent")
}
