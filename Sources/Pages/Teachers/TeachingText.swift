/// What several of the teachers' pages say.
enum TeachingText: String, TextKey {
    case cancel, back, tooMany, unavailable, archivedClass, completed, notPublished
    case alreadyPublished, alreadyBegun, tooManyHandouts, changed, refused, noTasks
    case withoutPasswords, more

    static let section = "teaching"

    /// What the API refused, as a sentence for the person who asked.
    static func sentence(_ refusal: Refusal, _ texts: Texts) -> String {
        switch (refusal.status, refusal.code) {
        case (500..., _): texts(TeachingText.unavailable)
        case (429, _): texts(TeachingText.tooMany) + " " + ErrorPage.wait(refusal, texts)
        case (412, _): texts(TeachingText.changed)
        case (_, "class_archived"): texts(TeachingText.archivedClass)
        case (_, "completed"): texts(TeachingText.completed)
        case (_, "not_published"): texts(TeachingText.notPublished)
        case (_, "already_begun"): texts(TeachingText.alreadyBegun)
        case (_, "already_published"): texts(TeachingText.alreadyPublished)
        case (_, "too_many_handouts"): texts(TeachingText.tooManyHandouts)
        case (_, "no_tasks"): texts(TeachingText.noTasks)
        case (_, "without_passwords"): texts(TeachingText.withoutPasswords)
        default: texts(TeachingText.refused)
        }
    }
}

extension Refusal {
    /// Whether a form can say what is wrong and keep what was typed; other refusals have pages of their own.
    var isForForm: Bool { [409, 412, 422, 429].contains(status) || status >= 500 }
}
