import HTTPWire
import Values

enum ConflictText: String, TextKey {
    case titleNamed, titleOwn, titleUnknown, titleNamedOf, titleOwnOf, titleUnknownOf, saved, kept
    case both, bothOwn, optional, was, yours, yoursOwn, theirs, typedBefore, together, anew,
        anewHint
    case only, onlyOwn, onlyKept, ticked, notTicked, nothing, secret
    case save, leaveNamed, leave

    static let section = "conflict"
}

/// Two people changed one thing: field by field theirs and yours, and who. Nothing has been saved yet.
struct ConflictPage: Sendable {
    let merge: FormMerge
    /// The form as it is filled now.
    let now: FormContent
    let change: LastChange
    /// What the reader knows the record by; `nil` if it has no name.
    let record: String?

    private static let choice = "decide-"
    /// Whose version is saved. `both` is made of the two; `anew` is what the reader writes instead.
    private enum Side: String { case theirs, yours, both, anew }

    /// What a form of this page decided, as the form would have sent it that stood at first.
    static func decided(_ form: Form) -> Form {
        guard form.items.contains(where: { $0.name.hasPrefix(choice) }) else { return form }
        // What was written is never dropped for a choice that was there before.
        let written = form.items.filter {
            $0.name.hasPrefix(Side.anew.rawValue + ".") && !$0.value.trimmedSpace.isEmpty
        }.map(\.name)
        return Form(
            items: form.items.compactMap { item in
                if item.name.hasPrefix(choice) { return nil }
                let parts = item.name.split(separator: ".", maxSplits: 2)
                guard parts.count == 3, let side = Side(rawValue: String(parts[0])) else {
                    return item
                }
                let isAnew = written.contains { $0.hasPrefix("anew.\(parts[1]).") }
                let chosen =
                    isAnew ? Side.anew : Side(rawValue: form[choice + parts[1]]) ?? .yours
                return side == chosen
                    ? QueryItem(name: String(parts[2]), value: item.value) : nil
            })
    }

    // MARK: The page

    func view(_ visit: Visit) -> View {
        let texts = visit.texts
        return View(title(texts)) {
            div(.role("alert"), .tabindex(-1), .autofocus) {
                heading(
                    title(texts),
                    below: parts {
                        if let at = change.at {
                            texts(ConflictText.saved, ["when": visit.moment(at)])
                            " "
                        }
                        texts(ConflictText.kept)
                    })
            }
            form(visit)
        }.refused(412)
    }

    private func title(_ texts: Texts) -> String {
        var values = ["name": change.name ?? ""]
        let key: ConflictText
        if let record {
            values["record"] = record
            key =
                change.isOwn
                ? .titleOwnOf : change.name == nil ? .titleUnknownOf : .titleNamedOf
        } else {
            key = change.isOwn ? .titleOwn : change.name == nil ? .titleUnknown : .titleNamed
        }
        return texts(key, values)
    }

    private func form(_ visit: Visit) -> HTML {
        let texts = visit.texts
        let content = [
            section(.class("card stack"), .labelledBy("both")) {
                h2(.id("both")) { texts(change.isOwn ? ConflictText.bothOwn : .both) }
                for (number, field) in merge.clashes.enumerated() { asked(field, number, visit) }
            }, only(visit), HTML.parts(rest(texts)),
            div(.class("row")) {
                button(.class("button button-main"), .type("submit")) { texts(ConflictText.save) }
                a(.class("button button-plain"), .href(visit.address.withoutQuery)) {
                    if let name = change.name, !change.isOwn {
                        texts(ConflictText.leaveNamed, ["name": name])
                    } else {
                        texts(ConflictText.leave)
                    }
                }
            },
        ]
        return Tag("form")(
            Attribute("method", "post"), Attribute("action", visit.address.withoutQuery.text),
            .class("reading stack")
        ) {
            HTML.parts(content)
            input(
                .type("hidden"), .name(FormKey.field),
                .value(visit.token(for: content, filled: now.filled)))
        }
    }

    /// One field: yours is chosen until the reader chooses.
    private func asked(_ field: FormMerge.Field, _ number: Int, _ visit: Visit) -> HTML {
        let texts = visit.texts
        let was = words(field, field.was, visit)
        let area = field.area
        return fieldset(.class("clash")) {
            legend { title(field, texts) }
            p(.class("hint as-written"), .dirAuto) { texts(ConflictText.was, ["value": was]) }
            div(.class("compare")) {
                choice(.theirs, theirs(texts), field.theirs, field, number, visit)
                choice(.yours, yours(texts), field.yours, field, number, visit)
                if let area, let both = field.together {
                    let items = [QueryItem(name: area.name, value: both)]
                    choice(.both, texts(ConflictText.together), items, field, number, visit)
                }
            }
            if let area { anew(area, number, texts) }
        }
    }

    private func choice(
        _ side: Side, _ who: String, _ items: [QueryItem], _ field: FormMerge.Field, _ number: Int,
        _ visit: Visit
    ) -> HTML {
        let said = words(field, items, visit)
        return parts {
            label(.class("choice")) {
                input(
                    .type("radio"), .name("\(Self.choice)\(number)"), .value(side.rawValue),
                    .checked(side == .yours))
                span {
                    span(.class("hint")) { who }
                    " "
                    span(.dirAuto, .class("as-written")) {
                        if field.area != nil, !items.isEmpty {
                            Self.marked(said, after: words(field, field.was, visit))
                        } else {
                            said
                        }
                    }
                }
            }
            for item in items {
                input(
                    .type("hidden"), .name("\(side.rawValue).\(number).\(item.name)"),
                    .value(item.value))
            }
        }
    }

    /// The text, with what is new in it.
    private static func marked(_ text: String, after was: String) -> HTML {
        parts {
            for piece in TextMerge.pieces(of: text, after: was) {
                if piece.isNew { Tag("ins") { piece.text } } else { HTML.text(piece.text) }
            }
        }
    }

    /// Room for another text in place of all of these.
    private func anew(
        _ area: FormContent.Control, _ number: Int, _ texts: Texts
    ) -> HTML {
        let id = "anew-\(number)"
        return details(.class("fold")) {
            summary { texts(ConflictText.anew) }
            div(.class("field")) {
                label(.for(id)) { area.label }
                p(.class("hint"), .id("\(id)-hint")) { texts(ConflictText.anewHint) }
                textarea(
                    .class("input"), .id(id),
                    .name("\(Side.anew.rawValue).\(number).\(area.name)"), Attribute("rows", "4"),
                    .describedBy("\(id)-hint"), .dirAuto
                ) {}
            }
        }
    }

    /// What the field is called. That it may stay empty is for its form to say.
    private func title(_ field: FormMerge.Field, _ texts: Texts) -> String {
        let optional = texts(ConflictText.optional)
        guard field.title.hasSuffix(optional) else { return field.title }
        return String(field.title.dropLast(optional.count)).trimmedSpace
    }

    private func yours(_ texts: Texts) -> String {
        texts(change.isOwn ? ConflictText.yoursOwn : .yours)
    }

    private func theirs(_ texts: Texts) -> String {
        change.isOwn
            ? texts(ConflictText.typedBefore) : change.name ?? texts(ConflictText.theirs)
    }

    private func only(_ visit: Visit) -> HTML {
        let texts = visit.texts
        let lines =
            merge.onlyTheirs.map { ($0, $0.theirs, theirs(texts)) }
            + merge.onlyYours.map { ($0, $0.yours, yours(texts)) }
        guard !lines.isEmpty else { return .nothing }
        return section(.class("card"), .labelledBy("only")) {
            h2(.id("only")) { texts(change.isOwn ? ConflictText.onlyOwn : .only) }
            p(.class("soft")) { texts(ConflictText.onlyKept) }
            dl(.class("facts")) {
                for (field, items, who) in lines {
                    div {
                        dt { title(field, texts) }
                        dd(.dirAuto) {
                            words(field, field.was, visit)
                            " → "
                            strong { words(field, items, visit) }
                        }
                        dd(.class("soft"), .dirAuto) { who }
                    }
                }
            }
        }
    }

    /// Everything else that is to be sent. What is secret is typed once more: it stands on no page.
    @HTMLBuilder
    private func rest(_ texts: Texts) -> [HTML] {
        let clashing = merge.clashes.flatMap(\.yours)
        let secrets = now.controls.filter { $0.kind == .secret }
        for item in merge.items where !clashing.contains(item) && item.name != FormKey.field {
            if let secret = secrets.first(where: { $0.name == item.name }) {
                if !item.value.isEmpty {
                    field(
                        secret.name, label: secret.label, hint: texts(ConflictText.secret),
                        .type("password"), .autocomplete("off"))
                }
            } else {
                input(.type("hidden"), .name(item.name), .value(item.value))
            }
        }
    }

    // MARK: In words

    /// What a field says with these values, as its form would show them.
    private func words(
        _ field: FormMerge.Field, _ items: [QueryItem], _ visit: Visit
    ) -> String {
        let texts = visit.texts
        let controls = field.controls
        if controls.count == 1, let box = controls.first, box.kind == .box {
            return texts(
                items.contains(where: box.holds) ? ConflictText.ticked : .notTicked)
        }
        let said = controls.flatMap { control -> [String] in
            let says = items.contains { $0.name == control.with && !$0.value.isEmpty }
            guard control.with == nil || says else { return [] }
            return items.filter(control.holds).compactMap { item in
                Self.words(control, item.value.trimmedSpace, visit)
            }
        }
        return said.joined(separator: ", ").nilIfEmpty ?? field.emptyWords
            ?? texts(ConflictText.nothing)
    }

    private static func words(
        _ control: FormContent.Control, _ value: String, _ visit: Visit
    ) -> String? {
        switch control.kind {
        case .box, .choice:
            guard !value.isEmpty || control.with == nil && control.options.count > 1 else {
                return nil
            }
            return control.options.first { $0.value == value }?.words ?? value.nilIfEmpty
        case .day:
            return Day(value).map { visit.texts.day($0, today: visit.today) } ?? value.nilIfEmpty
        case .text, .area, .hidden, .secret: return value.nilIfEmpty
        }
    }
}
