/// The kind of content that a context stands for. It changes how the context is shown, not how it behaves.
public enum CLSContextType: Int, Sendable {
    /// No kind.
    case none = 0
    /// The app itself. Only the main app context has this type.
    case app = 1
    /// A chapter.
    case chapter = 2
    /// A section.
    case section = 3
    /// A level, as of a game.
    case level = 4
    /// A page.
    case page = 5
    /// A task.
    case task = 6
    /// A challenge.
    case challenge = 7
    /// A quiz.
    case quiz = 8
    /// An exercise.
    case exercise = 9
    /// A lesson.
    case lesson = 10
    /// A book.
    case book = 11
    /// A game.
    case game = 12
    /// A document.
    case document = 13
    /// A sound recording.
    case audio = 14
    /// A video.
    case video = 15
    /// A course.
    case course = 16
    /// A kind that `CLSContext.customTypeName` names.
    case custom = 17
}
