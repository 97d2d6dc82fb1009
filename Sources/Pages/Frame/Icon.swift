/// A symbol of `Assets/icons.svg`. It decorates: a word beside it says the same.
enum Icon: Sendable, CaseIterable {
    case apps, audit, bookmark, chart, classes, completed, csv, done, down, downSmall, draft, file
    case hand, home, download, info, late, link, locked, menu, next, off, opened, out, people, plus
    case previous, print, published, returned, scheduled, search, settings, shield, ticket
    case unopened, up, warn, cross

    private var symbol: StaticString {
        switch self {
        case .apps: "i-apps"
        case .audit: "i-audit"
        case .bookmark: "i-bookmark"
        case .chart: "i-chart"
        case .classes: "i-classes"
        case .completed: "i-completed"
        case .csv: "i-csv"
        case .done: "i-done"
        case .down: "i-down"
        case .downSmall: "i-down-s"
        case .draft: "i-draft"
        case .file: "i-file"
        case .hand: "i-hand"
        case .home: "i-home"
        case .download: "i-import"
        case .info: "i-info"
        case .late: "i-late"
        case .link: "i-link"
        case .locked: "i-locked"
        case .menu: "i-menu"
        case .next: "i-next"
        case .off: "i-off"
        case .opened: "i-opened"
        case .out: "i-out"
        case .people: "i-people"
        case .plus: "i-plus"
        case .previous: "i-prev"
        case .print: "i-print"
        case .published: "i-published"
        case .returned: "i-returned"
        case .scheduled: "i-scheduled"
        case .search: "i-search"
        case .settings: "i-settings"
        case .shield: "i-shield"
        case .ticket: "i-ticket"
        case .unopened: "i-unopened"
        case .up: "i-up"
        case .warn: "i-warn"
        case .cross: "i-x"
        }
    }

    /// The icon in the size and colour of the text around it.
    var html: HTML {
        svg(.class(turns ? "icon icon-turns" : "icon"), .hidden) {
            use(Attribute("href", Assets.shared.symbol(symbol)))
        }
    }

    /// Whether it points along the direction of writing.
    private var turns: Bool {
        switch self {
        case .next, .previous, .returned: true
        default: false
        }
    }

    /// The mark of Homeroom.
    static var mark: HTML {
        svg(.class("bar-mark"), .hidden) {
            use(Attribute("href", Assets.shared.symbol("mark")))
        }
    }
}
