import API
import Values

/// What a client wants to happen before it gets a code (`prompt` of OpenID Connect Core section 3.1.2.1).
enum Prompt: String, CaseIterable, Sendable {
    /// No page at all: an error where one would be needed.
    case none
    /// The password, even from someone who is signed in.
    case login
    /// The question, even to someone who answered it before.
    case consent
    /// The question, which also says who is signed in and offers to change that.
    case selectAccount = "select_account"
}

/// What the client asks of the page, and what follows from that.
struct Prompts: Sendable {
    /// What the page does next.
    enum Step: String, CaseIterable {
        case signIn, ask, allow
    }

    private let prompts: Set<Prompt>
    /// How long ago the person may have signed in, in seconds.
    private let maximumAge: Int64?

    /// `nil` if the client contradicts itself or uses words that nobody knows.
    init?(prompt: String?, maximumAge: String?) {
        let words = (prompt ?? "").split(separator: " ")
        prompts = Set(words.compactMap { Prompt(rawValue: String($0)) })
        guard prompts.count == Set(words).count, !prompts.contains(.none) || prompts.count == 1
        else { return nil }
        guard let maximumAge else {
            self.maximumAge = nil
            return
        }
        guard let seconds = Int64(maximumAge), (0..<1 << 40).contains(seconds) else { return nil }
        self.maximumAge = seconds
    }

    /// Whether no page may appear.
    var isSilent: Bool { prompts.contains(.none) }

    /// What the page does next for a client.
    func step(for client: AskingClient, now: Timestamp) -> Step {
        if prompts.contains(.login) || isTooLongAgo(client.signedInAt, now) { return .signIn }
        let mayGoOn = client.system != nil && client.isAllowed
        return mayGoOn && prompts.isDisjoint(with: [.consent, .selectAccount]) ? .allow : .ask
    }

    private func isTooLongAgo(_ signedInAt: Timestamp?, _ now: Timestamp) -> Bool {
        guard let maximumAge else { return false }
        guard let signedInAt else { return true }
        return now.milliseconds - signedInAt.milliseconds > maximumAge * 1000
    }
}
