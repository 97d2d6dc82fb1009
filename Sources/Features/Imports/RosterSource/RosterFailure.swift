import HTTPClient

/// Why a pull from a roster source brought nothing.
package struct RosterFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure; stable, for programs.
    package enum Code: String, Sendable, CaseIterable {
        /// The provider cannot be reached, or breaks off.
        case unreachable
        /// Its address is inside a network, or its connection is not secure.
        case addressRefused = "address_refused"
        /// It refuses the client id and the secret, or what they may read.
        case refused
        /// It asks to be left alone.
        case busy
        /// It does not answer as OneRoster says.
        case unexpectedAnswer = "unexpected_answer"
        /// It sends more than an import may have, or takes too long.
        case tooLarge = "too_large"
        /// It changed while it was read, three times.
        case changing
        /// The key is gone with which the client secret is sealed.
        case secretLost = "secret_lost"
        /// The server stopped during the pull, three times.
        case interrupted
        /// Too many imports wait.
        case queueFull = "queue_full"
        /// Something went wrong on our side.
        case internalError = "internal_error"
    }

    package let code: Code
    /// A sentence for administrators: what, where and what to do. It names records by id, never by name.
    package let detail: String
    /// How many seconds the provider asks to be left alone.
    package let retryAfter: Int?

    package init(_ code: Code, _ detail: String, retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    package var description: String { detail }

    /// Whether trying again the same night may help.
    var mayPass: Bool {
        switch code {
        case .unreachable, .busy, .changing, .queueFull, .internalError: true
        default: false
        }
    }
}

extension RosterFailure {
    /// What a call that failed means for the pull.
    init(_ failure: OutgoingFailure) {
        switch failure {
        case .foreignPlace:
            self.init(
                .addressRefused,
                "The name leads to an address inside a network or on this machine. The operator can allow that "
                    + "with HOMEROOM_LOCAL_SOURCES.")
        case .notSecure: self.init(.addressRefused, failure.description)
        case .redirects: self.init(.unexpectedAnswer, failure.description)
        case .tooLong:
            self.init(
                .tooLarge,
                "A page has more than \(RosterLimits.pageBytes >> 20) MiB, though at most "
                    + "\(RosterLimits.pageRecords) records were asked for.")
        default: self.init(.unreachable, failure.description)
        }
    }
}

/// The roster was written while it was read; reading it again from the start may help.
struct RosterChanged: Error {}

/// The pull is no longer this process's own, or the process ends.
struct RosterPullEnded: Error {}

/// How much a pull may take.
package struct RosterLimits: Sendable {
    /// How many records a page is asked for.
    static let pageRecords = 1000
    /// The largest page, in bytes.
    static let pageBytes = 8 << 20
    /// The most values on a page, with lists and objects: each takes many times its bytes of memory. A page of records
    /// that is as long as one may be has half as many.
    static let pageValues = 1_000_000

    /// Records of all collections together, with the roles of users.
    package var records = 4_000_000
    /// Pages of all collections together.
    package var pages = 20_000
    /// Bytes of all pages together.
    package var bytes = 2 << 30
    /// Bytes of the roles of all users as a file.
    package var roleBytes = 1 << 30
    /// How long it may take, with every pause.
    package var seconds = 3 * 3600
    /// The longest pause that a provider may ask for, in seconds; after a longer one the pull begins anew.
    package var pauseSeconds = 300

    package init() {}
}

extension HTTPClient.Limits {
    /// For calls to roster sources: a minute for a page.
    package static var rosterSources: Self {
        var limits = Self()
        limits.milliseconds = 60_000
        limits.bytes = RosterLimits.pageBytes
        return limits
    }
}
