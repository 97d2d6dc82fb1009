import JSONBytes

/// What the checks found, about a number of people or things. The keys are the API's codes.
enum CheckText: String, TextKey {
    case classWithoutTeacher = "class_without_teacher"
    case classWithoutStudents = "class_without_students"
    case classTooLarge = "class_too_large"
    case classAfterItsTerm = "class_after_its_term"
    case personCannotSignIn = "person_cannot_sign_in"
    case teacherNeverSignedIn = "teacher_never_signed_in"
    case studentNeverSignedIn = "student_never_signed_in"
    case studentWithoutLicence = "student_without_licence"
    case seatWithoutRole = "seat_without_role"
    case unusualTeacher = "unusual_teacher"
    case seatOfDeactivated = "seat_of_deactivated"
    case seatsOverlap = "seats_overlap"
    case personWithoutRole = "person_without_role"
    case studentWithoutClass = "student_without_class"
    case managedIDOfNobody = "managed_id_of_nobody"
    case progressPaused = "progress_paused"
    case importWaiting = "import_waiting"
    case importFailed = "import_failed"
    case noAdministrator = "no_administrator"
    case progressOff = "progress_off"
    case exportOverdue = "export_overdue"
    case webhookFailing = "webhook_failing"
    case webhookDisabled = "webhook_disabled"
    case rosterSourceFailing = "roster_source_failing"

    static let section = "check"
}

/// What to do about it.
enum AdviceText: String, TextKey {
    case classWithoutTeacher = "class_without_teacher"
    case classWithoutStudents = "class_without_students"
    case classTooLarge = "class_too_large"
    case classAfterItsTerm = "class_after_its_term"
    case personCannotSignIn = "person_cannot_sign_in"
    case teacherNeverSignedIn = "teacher_never_signed_in"
    case studentNeverSignedIn = "student_never_signed_in"
    case studentWithoutLicence = "student_without_licence"
    case seatWithoutRole = "seat_without_role"
    case unusualTeacher = "unusual_teacher"
    case seatOfDeactivated = "seat_of_deactivated"
    case seatsOverlap = "seats_overlap"
    case personWithoutRole = "person_without_role"
    case studentWithoutClass = "student_without_class"
    case managedIDOfNobody = "managed_id_of_nobody"
    case progressPaused = "progress_paused"
    case importWaiting = "import_waiting"
    case importFailed = "import_failed"
    case noAdministrator = "no_administrator"
    case progressOff = "progress_off"
    case exportOverdue = "export_overdue"
    case webhookFailing = "webhook_failing"
    case webhookDisabled = "webhook_disabled"
    case rosterSourceFailing = "roster_source_failing"

    static let section = "advice"
}

/// Something that the checks found.
struct Finding: Sendable {
    enum Severity: String, Sendable {
        case error, warning, info

        var word: SchoolText {
            switch self {
            case .error: .tagError
            case .warning: .tagWarning
            case .info: .tagInfo
            }
        }

        var tone: Tone {
            switch self {
            case .error: .bad
            case .warning: .warn
            case .info: .info
            }
        }

        var icon: Icon {
            switch self {
            case .error: .warn
            case .warning: .late
            case .info: .info
            }
        }
    }

    let code: String
    let severity: Severity
    let count: Int
    let subjectKind: String
    let subjectIDs: [String]
    /// What the API says, in English: for checks that these pages do not know yet.
    private let original: (text: String, advice: String)

    init?(_ item: JSONValue) {
        guard let code = item["code"]?.text,
            let severity = item["severity"]?.text.flatMap(Severity.init(rawValue:))
        else { return nil }
        self.code = code
        self.severity = severity
        count = Int(item["count"]?.int64 ?? 0)
        subjectKind = item["subjectKind"]?.text ?? ""
        subjectIDs = (item["subjectIds"]?.array ?? []).compactMap(\.text)
        original = (item["text"]?.text ?? "", item["advice"]?.text ?? "")
    }

    /// The findings of `GET /v1/checks`, the worst first.
    static func list(_ checks: JSONValue) -> [Finding] {
        let all = (checks["findings"]?.array ?? []).compactMap { Finding($0) }
        return [Severity.error, .warning, .info].flatMap { severity in
            all.filter { $0.severity == severity }
        }
    }

    func text(_ texts: Texts) -> HTML {
        guard CheckText(rawValue: code) != nil else {
            return span(.lang("en")) { original.text }
        }
        return .text(title(texts))
    }

    /// The same without markup.
    func title(_ texts: Texts) -> String {
        CheckText(rawValue: code).map { texts($0, count: count) } ?? original.text
    }

    func advice(_ texts: Texts) -> HTML {
        guard let key = AdviceText(rawValue: code) else {
            return span(.lang("en")) { original.advice }
        }
        return .text(texts(key))
    }

    /// Where one sees what is meant, or can do something about it.
    func link(_ visit: Visit) -> (path: LocalPath, text: SchoolText)? {
        switch (code, subjectKind) {
        case ("progress_paused", _): return ("/people?paused=true", .seeWho)
        case ("progress_off", _):
            return visit.person?.belongs(to: .administrator) == true
                ? ("/settings", .openSettings) : nil
        case ("managed_id_of_nobody", _): return nil
        case (_, "import"): return subjectIDs.first.map { ("/imports/\($0)", .readImport) }
        case (_, "person"): return ("/school/findings/\(code)", .seeWho)
        case (_, "class"): return ("/school/findings/\(code)", .seeWhich)
        default: return nil
        }
    }
}
