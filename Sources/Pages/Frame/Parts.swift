/// The parts that pages have in common; `look/components.html` of the design shows each.
enum Tone: String, Sendable {
    case plain = ""
    case info, good, warn, bad, line
}

/// A word on the state of something, with its icon.
func tag(_ text: String, _ icon: Icon, _ tone: Tone = .plain) -> HTML {
    span(.class(tone == .plain ? "tag" : "tag tag-\(tone.rawValue)")) {
        icon.html
        text
    }
}

/// A message in a box.
func notice(_ tone: Tone, _ icon: Icon, @HTMLBuilder content: () -> [HTML]) -> HTML {
    div(.class(tone == .plain ? "notice" : "notice notice-\(tone.rawValue)")) {
        icon.html
        div { parts(content) }
    }
}

/// A page's heading, with a line below it and buttons beside it.
func heading(
    _ title: String, below: HTML = .nothing, tags: HTML = .nothing,
    @HTMLBuilder buttons: () -> [HTML] = { [] }
) -> HTML {
    let buttons = buttons()
    return div(.class("head")) {
        div {
            h1(.dirAuto) { title }
            if !below.isEmpty { p { below } }
            if !tags.isEmpty { div(.class("head-tags")) { tags } }
        }
        if !buttons.isEmpty { div(.class("row no-print")) { HTML.parts(buttons) } }
    }
}

/// Says that there is nothing, and what to do.
func emptyBox(_ title: String, _ advice: String? = nil) -> HTML {
    div(.class("empty")) {
        h2 { title }
        if let advice { p { advice } }
    }
}

/// Two letters for a class, in a colour that stays the same for the same id.
func chip(_ name: String, id: String) -> HTML {
    let words = name.split(separator: " ")
    let letters =
        words.count > 1
        ? "\(words[0].prefix(1))\(words[words.count - 1].prefix(1))" : String(name.prefix(2))
    let hue = id.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 6 + 1
    return span(.class("chip hue-\(hue)"), .hidden) { letters }
}

/// Things beside each other with a dot between them.
func dotted(_ items: [HTML]) -> HTML {
    let shown = items.filter { !$0.isEmpty }
    return parts {
        for (index, item) in shown.enumerated() {
            if index > 0 { " · " }
            item
        }
    }
}

/// Text that someone wrote, such as a name, in its own direction.
func written(_ text: String) -> HTML { bdi { text } }
