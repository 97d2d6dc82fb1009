/// An area of study.
public struct CLSContextTopic: RawRepresentable, Hashable, Sendable {
    /// The word for the area.
    public let rawValue: String

    /// Creates a topic from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a topic from its word.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Mathematics.
    public static let math = CLSContextTopic("math")
    /// Science.
    public static let science = CLSContextTopic("science")
    /// Reading and writing.
    public static let literacyAndWriting = CLSContextTopic("literacyAndWriting")
    /// Foreign languages.
    public static let worldLanguage = CLSContextTopic("worldLanguage")
    /// Social science.
    public static let socialScience = CLSContextTopic("socialScience")
    /// Computer science and engineering.
    public static let computerScienceAndEngineering = CLSContextTopic(
        "computerScienceAndEngineering")
    /// Arts and music.
    public static let artsAndMusic = CLSContextTopic("artsAndMusic")
    /// Health and fitness.
    public static let healthAndFitness = CLSContextTopic("healthAndFitness")
}
