import HTTPWire
import JSONBytes
import Values

enum MessageText: String, TextKey {
    case title, post, postTitle, postHint, writtenBy, byYou, changed, edit, remove
    case editTitle, text, save, removeTitle, removeText, removeButton, all, none
    case errorsTitle, errorText, errorLength, errorFull
    case noticePosted, noticeSaved, noticeRemoved

    static let section = "message"
}

/// The announcements of a class, on its page; `/announcements/{id}` changes or removes one.
enum ClassMessages: Screen {
    static var pages: [Page] {
        [
            .get("/classes/{id}/announcements", for: .teacher) { visit in
                async let schoolClass = TaughtClass.load(visit["id"], visit.api)
                async let messages = load(visit["id"], visit.api)
                return .view(try await view(schoolClass, messages, "", .none, visit))
            },
            .post("/classes/{id}/announcements", for: .teacher, post),
            .get("/announcements/{id}/edit", for: .teacher) { visit in
                let (message, tag) = try await find(visit)
                return .view(editView(message, message.text, tag: tag, .none, visit))
            },
            .post("/announcements/{id}/edit", for: .teacher, save)
                .changing(.record("announcement")),
            .get("/announcements/{id}/delete", for: .teacher) { visit in
                let (message, tag) = try await find(visit)
                return .view(removeView(message, tag: tag, visit))
            },
            .post("/announcements/{id}/delete", for: .teacher, remove),
        ]
    }

    /// An announcement.
    struct Message: Sendable {
        let id: String
        let classID: String
        let text: String
        /// `nil` where the author was erased.
        let authorID: String?
        let postedAt: Timestamp?

        init?(_ item: JSONValue) {
            guard let id = item["id"]?.text, let text = item["text"]?.text else { return nil }
            self.id = id
            self.text = text
            classID = item["classId"]?.text ?? ""
            authorID = item["authorId"]?.text
            postedAt = item.moment("createdAt")
        }
    }

    /// The newest first. The API lists the oldest first, and a class has at most 1,000.
    static func load(_ classID: String, _ api: Client) async throws -> [Message] {
        let page = try await api.get("/v1/announcements?classId=\(classID)&limit=1000")
        return (page["items"]?.array ?? []).compactMap(Message.init).reversed()
    }

    private static func find(_ visit: Visit) async throws -> (message: Message, tag: String) {
        let (item, tag) = try await visit.api.getTagged("/v1/announcements/\(visit["id"])")
        guard let message = Message(item) else { throw UnexpectedAnswer() }
        return (message, tag)
    }

    // MARK: Changing

    private static func post(_ form: Form, _ visit: Visit) async throws -> Answer {
        let text = Self.text(in: form)
        let problems = try await Self.problems(text, visit) {
            try await visit.api.post(
                "/v1/announcements", ["classId": .text(visit["id"]), "text": .text(text)])
        }
        guard problems.isEmpty else {
            async let schoolClass = TaughtClass.load(visit["id"], visit.api)
            async let messages = load(visit["id"], visit.api)
            return .view(
                try await view(schoolClass, messages, text, problems, visit).refused())
        }
        return .redirect("/classes/\(visit["id"])", notice: Notice(MessageText.noticePosted))
    }

    private static func save(_ form: Form, _ visit: Visit) async throws -> Answer {
        let text = Self.text(in: form)
        let (message, tag) = try await find(visit)
        let problems = try await Self.problems(text, visit) {
            try await visit.api.send(
                .patch, "/v1/announcements/\(message.id)", ["text": .text(text)],
                headers: [(name: "If-Match", value: form["version"])])
        }
        guard problems.isEmpty else {
            return .view(editView(message, text, tag: tag, problems, visit).refused())
        }
        return .redirect(
            "/classes/\(message.classID)", notice: Notice(MessageText.noticeSaved))
    }

    private static func remove(_ form: Form, _ visit: Visit) async throws -> Answer {
        let (message, tag) = try await find(visit)
        do {
            try await visit.api.send(
                .delete, "/v1/announcements/\(message.id)",
                headers: [(name: "If-Match", value: form["tag"])])
        } catch let refusal as Refusal where refusal.isForForm {
            let problem = sentence(refusal, visit.texts)
            return .view(
                removeView(message, tag: tag, problem: problem, visit).refused(refusal))
        }
        return .redirect(
            "/classes/\(message.classID)", notice: Notice(MessageText.noticeRemoved))
    }

    private static func text(in form: Form) -> String {
        form["text"].replacing("\r\n", with: "\n").trimmedSpace
    }

    /// What keeps a text from being stored.
    private static func problems(
        _ text: String, _ visit: Visit, _ store: () async throws -> Void
    ) async throws -> FormProblems {
        var problems = FormProblems.none
        guard !text.isEmpty else {
            problems.add("text", visit.texts(MessageText.errorText))
            return problems
        }
        do {
            try await store()
        } catch let refusal as Refusal where refusal.isForForm && refusal.status != 412 {
            problems.add("text", sentence(refusal, visit.texts))
        }
        return problems
    }

    private static func sentence(_ refusal: Refusal, _ texts: Texts) -> String {
        if refusal.status == 412 { return texts(MessageText.changed) }
        if refusal.fields["/text"] != nil { return texts(MessageText.errorLength) }
        if refusal.code == "too_many_announcements" { return texts(MessageText.errorFull) }
        return TeachingText.sentence(refusal, texts)
    }
}
