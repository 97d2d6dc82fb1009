import Testing

/// What an answer must be.
package struct Expected: Sendable {
    package var status: Int
    /// The whole body; `nil` if it does not matter.
    package var body: String?
    /// Something in the body, such as the code of a problem.
    package var bodyPart: String?
    /// Lines of the head, each exactly as `Name: value`.
    package var fields: [String]
    /// Names of fields that must not be there.
    package var absent: [String]
    /// Whether the request was HEAD.
    package var toHead = false

    package init(
        _ status: Int, _ body: String? = nil, part: String? = nil, fields: [String] = [],
        absent: [String] = []
    ) {
        self.status = status
        self.body = body
        bodyPart = part
        self.fields = fields
        self.absent = absent
    }

    /// The answer to HEAD, which has no body.
    package static func head(
        _ status: Int, fields: [String] = [], absent: [String] = []
    ) -> Expected {
        var expected = Expected(status, "", fields: fields, absent: absent)
        expected.toHead = true
        return expected
    }

    func differences(from answer: WireAnswer) -> [String] {
        var differences = answer.flaws
        if answer.status != status { differences.append("answered \(answer.statusLine)") }
        if let body, answer.text != body { differences.append("the body is \(answer.text)") }
        if let bodyPart, !answer.text.contains(bodyPart) {
            differences.append("\(bodyPart) is not in \(answer.text)")
        }
        let lines = answer.fields.map { "\($0.name): \($0.value)" }
        for field in fields where !lines.contains(field) {
            differences.append("no \(field) among \(lines)")
        }
        for name in absent where answer[name] != nil {
            differences.append("\(name) is there: \(answer[name] ?? "")")
        }
        return differences
    }
}

/// What becomes of the connection after the last answer.
package enum ConnectionEnd: Sendable {
    /// Another request on it is answered.
    case kept
    /// The last answer says `Connection: close`, nothing follows it, and the server's side ends.
    case closed
    /// Nothing follows and the server's side ends, because the client's did.
    case finished
}

/// One requirement as a conversation with a server.
package struct Row: Sendable, CustomTestStringConvertible {
    /// The RFC and its section, such as `9112 §5.1`.
    package let section: String
    package let sentence: String
    package let sent: WireText
    package let answers: [Expected]
    package let end: ConnectionEnd

    package init(
        _ section: String, _ sentence: String, _ sent: WireText, _ answers: [Expected],
        _ end: ConnectionEnd = .kept
    ) {
        self.section = section
        self.sentence = sentence
        self.sent = sent
        self.answers = answers
        self.end = end
    }

    package var testDescription: String { "\(section): \(sentence)" }

    /// A row with a single answer, a problem, after which the server closes.
    package init(
        _ section: String, _ sentence: String, refused status: Int, _ sent: WireText
    ) {
        self.init(section, sentence, sent, [Expected(status)], .closed)
    }

    /// Runs the conversation on a connection of its own and returns what differed.
    ///
    /// - Parameter probe: a request that the server answers with 200.
    package func findings(port: UInt16, probe: WireText) -> [String] {
        var conversation = Conversation(client: WireClient(port: port), awaited: answers[...])
        for step in sent.steps {
            switch step {
            case .send(let bytes): conversation.client.send(bytes)
            case .pause: conversation.client.pause()
            case .finish: conversation.client.finish()
            case .awaitAnswer: conversation.takeAnswer()
            }
        }
        while !conversation.awaited.isEmpty, conversation.findings.isEmpty {
            conversation.takeAnswer()
        }
        if conversation.findings.isEmpty { conversation.end(end, probe: probe) }
        return conversation.findings.map { "\(section), \(sentence): \($0)" }
    }
}

/// A conversation in progress.
private struct Conversation {
    let client: WireClient
    var awaited: ArraySlice<Expected>
    var findings: [String] = []
    private var reader = WireAnswerReader()
    private var hasEnded = false
    private var closes = false

    init(client: WireClient, awaited: ArraySlice<Expected>) {
        self.client = client
        self.awaited = awaited
    }

    mutating func takeAnswer() {
        guard let expected = awaited.popFirst() else { return }
        while true {
            if let answer = reader.next(toHead: expected.toHead, hasEnded: hasEnded) {
                closes = answer.closes
                findings += expected.differences(from: answer)
                return
            }
            guard receive() else {
                findings.append("\(expected.status) did not come: \(rest)")
                return
            }
        }
    }

    mutating func end(_ end: ConnectionEnd, probe: WireText) {
        if end != .finished, closes != (end == .closed) {
            findings.append(closes ? "Connection: close" : "no Connection: close (9112 §9.6)")
            return
        }
        if end == .kept {
            client.send(probe.bytes)
            awaited = [Expected(200)]
            return takeAnswer()
        }
        while receive() {}
        if !reader.bytes.isEmpty { findings.append("more was sent: \(rest)") }
        if !hasEnded { findings.append("the connection was not closed properly") }
    }

    /// `false` at the end.
    private mutating func receive() -> Bool {
        switch client.receive() {
        case .bytes(let bytes): reader.append(bytes)
        case .end:
            // A body without a length is complete now; it is checked once more.
            defer { hasEnded = true }
            return !hasEnded && !reader.bytes.isEmpty
        case .failure:
            findings.append("the connection failed")
            return false
        }
        return true
    }

    private var rest: String {
        WireText.showing(reader.bytes)
    }
}
