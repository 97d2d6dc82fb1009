import HTTPWire

/// What a form changed, on top of what somebody else changed meanwhile.
///
/// What only one of the two changed is kept from both. What both changed otherwise stands in `clashes`, and is asked
/// about, never decided.
struct FormMerge: Sendable {
    /// What says one thing, in the versions that there are of it.
    struct Field: Sendable {
        let group: String
        /// What it is called.
        let title: String
        let controls: [FormContent.Control]
        /// What it means that there is nothing; `nil` for just that.
        let emptyWords: String?
        let was: [QueryItem]
        let theirs: [QueryItem]
        let yours: [QueryItem]

        /// The one place for a longer text that it is; `nil` if it is something else.
        var area: FormContent.Control? {
            controls.count == 1 && controls[0].kind == .area ? controls[0] : nil
        }

        /// What both made of a longer text, where that is something of its own.
        var together: String? {
            func text(_ items: [QueryItem]) -> String {
                (items.first?.value ?? "").replacing("\r\n", with: "\n").trimmedSpace
            }
            let both = TextMerge.both(of: text(was), text(theirs), text(yours))
            return both == text(theirs) || both == text(yours) ? nil : both
        }
    }

    /// What is to be sent. Of what clashes, yours.
    private(set) var items: [QueryItem] = []
    private(set) var clashes: [Field] = []
    private(set) var onlyTheirs: [Field] = []
    private(set) var onlyYours: [Field] = []

    /// - Parameters:
    ///   - old: what the form was filled with.
    ///   - yours: what was sent.
    ///   - theirs: the form as it is filled now.
    init(_ old: [FormContent.Filled], _ yours: [QueryItem], onto theirs: FormContent) {
        let changeable = theirs.changeable
        var groups: [String] = []
        for control in changeable where !groups.contains(control.group) {
            groups.append(control.group)
        }
        var rest = yours.filter { item in
            !theirs.controls.contains { $0.kind == .hidden && $0.name == item.name }
        }
        for group in groups {
            let controls = changeable.filter { $0.group == group }
            let former = old.filter { $0.group == group }
            // Rows may be gone from the form by now.
            let names = Set(former.map(\.name)).subtracting(controls.map(\.name))
            func isOfGroup(_ item: QueryItem) -> Bool {
                names.contains(item.name) || controls.contains { $0.holds(item) }
            }
            let field = Field(
                group: group, title: theirs.titles[group] ?? controls.first?.label ?? "",
                controls: controls, emptyWords: theirs.emptyWords[group],
                was: former.map { QueryItem(name: $0.name, value: $0.value) },
                theirs: controls.flatMap { control in
                    control.values.map { QueryItem(name: control.name, value: $0) }
                }, yours: rest.filter(isOfGroup))
            rest.removeAll(where: isOfGroup)
            add(field)
        }
        items += rest.filter { item in
            // What is not in the form any more was somebody's to remove.
            !old.contains { $0.name == item.name && $0.value == item.value }
        }
        items += theirs.controls.filter { $0.kind == .hidden }.flatMap { control in
            control.values.map { QueryItem(name: control.name, value: $0) }
        }
    }

    private mutating func add(_ field: Field) {
        let (was, theirs, yours) = (
            Self.said(field.was), Self.said(field.theirs), Self.said(field.yours)
        )
        guard yours != was else {
            if theirs != was { onlyTheirs.append(field) }
            items += field.theirs
            return
        }
        items += field.yours
        if theirs == was {
            onlyYours.append(field)
        } else if theirs != yours {
            clashes.append(field)
        }
    }

    /// What it comes to: an empty field says as much as none, and browsers send line ends as in mail.
    private static func said(_ items: [QueryItem]) -> [String] {
        items.compactMap { item in
            let value = item.value.replacing("\r\n", with: "\n").trimmedSpace
            return value.isEmpty ? nil : "\(item.name)\u{0}\(value)"
        }.sorted()
    }

    /// Whether what was sent differs, in the group of that field, from what the form was filled with.
    static func isChanged(
        _ group: String, _ names: [String], _ old: [FormContent.Filled], _ yours: [QueryItem]
    ) -> Bool {
        said(
            old.filter { $0.group == group }.map { QueryItem(name: $0.name, value: $0.value) })
            != said(yours.filter { names.contains($0.name) })
    }
}
