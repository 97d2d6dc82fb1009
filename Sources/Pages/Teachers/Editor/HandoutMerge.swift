import JSONBytes

/// What a form changed, on top of a handout that somebody else may have changed meanwhile.
///
/// What only one of the two changed is kept from both. What both changed stands in `clashes`, and must be asked about.
struct HandoutMerge: Sendable {
    /// A field of the form, by its name in the API.
    enum Field: String, Sendable, CaseIterable {
        case title, instructions, dueAt, recipients
    }

    /// A field that both changed.
    struct Clash: Sendable {
        let field: Field
        let theirs: HandoutForm.Typed
        let yours: HandoutForm.Typed
    }

    /// What was typed, and of everything else what the handout holds now.
    let form: HandoutForm
    /// What is to be sent; `nil` for everything, where it is not known what the form was filled with.
    let changed: [Field]?
    let clashes: [Clash]

    /// - Parameter students: of the class; who has left it is in no form.
    init(
        _ sent: HandoutForm, onto handout: EditedHandout, _ students: [RosterEntry], _ visit: Visit
    ) {
        guard let old = sent.old else {
            (form, changed, clashes) = (sent, nil, [])
            return
        }
        var theirs = HandoutForm(handout, visit).typed
        theirs.chosen.formIntersection(students.map(\.id))
        var merged = theirs
        var changed: [Field] = []
        var clashes: [Clash] = []
        for field in Field.allCases where !field.isSame(sent.typed, old) {
            field.copy(from: sent.typed, to: &merged)
            if field.isSame(sent.typed, theirs) { continue }
            changed.append(field)
            if !field.isSame(old, theirs) {
                clashes.append(Clash(field: field, theirs: theirs, yours: sent.typed))
            }
        }
        var form = sent
        form.typed = merged
        // Sent once more, it replaces what the other one wrote: the teacher has seen that now.
        form.old = theirs
        form.tag = handout.tag
        (self.form, self.changed, self.clashes) = (form, changed, clashes)
    }

    func changes(_ field: Field) -> Bool { changed?.contains(field) ?? true }

    /// Only what was changed.
    func sent(_ body: JSONObject) -> JSONObject {
        guard let changed else { return body }
        return JSONObject(
            changed.compactMap { field in body[field.rawValue].map { (field.rawValue, $0) } })
    }
}

extension HandoutMerge.Field {
    fileprivate func isSame(_ one: HandoutForm.Typed, _ other: HandoutForm.Typed) -> Bool {
        switch self {
        case .title: one.title == other.title
        case .instructions: one.instructions == other.instructions
        case .dueAt: (one.dueDate, one.dueTime) == (other.dueDate, other.dueTime)
        case .recipients: one.chosen == other.chosen
        }
    }

    fileprivate func copy(from typed: HandoutForm.Typed, to merged: inout HandoutForm.Typed) {
        switch self {
        case .title: merged.title = typed.title
        case .instructions: merged.instructions = typed.instructions
        case .dueAt: (merged.dueDate, merged.dueTime) = (typed.dueDate, typed.dueTime)
        case .recipients: merged.chosen = typed.chosen
        }
    }

    var label: EditorText {
        switch self {
        case .title: .fieldTitle
        case .instructions: .instructions
        case .dueAt: .dueDate
        case .recipients: .legend
        }
    }

    /// What the field holds, for people.
    func words(
        _ typed: HandoutForm.Typed, _ content: HandoutEditor.Content, _ visit: Visit
    ) -> String {
        let texts = visit.texts
        switch self {
        case .title: return typed.title
        case .instructions: return typed.instructions.nilIfEmpty ?? texts(EditorText.nothing)
        case .dueAt:
            var form = HandoutForm()
            form.typed = typed
            return form.due(visit).map(visit.moment)
                ?? [typed.dueDate, typed.dueTime].joined(separator: " ").trimmedSpace.nilIfEmpty
                ?? texts(EditorText.nothing)
        case .recipients:
            let names = content.students.filter { typed.chosen.contains($0.id) }.map(\.name)
            return names.isEmpty ? texts(EditorText.everyone) : names.joined(separator: ", ")
        }
    }
}
