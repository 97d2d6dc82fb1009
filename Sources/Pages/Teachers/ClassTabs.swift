/// The pages of one class.
enum ClassTab: Sendable, CaseIterable {
    case handouts, progress

    fileprivate var title: ClassText {
        switch self {
        case .handouts: .handouts
        case .progress: .progress
        }
    }

    fileprivate func path(_ id: String) -> LocalPath {
        switch self {
        case .handouts: "/classes/\(id)"
        case .progress: "/classes/\(id)/progress"
        }
    }
}

/// The links between the pages of a class.
func classTabs(_ id: String, _ name: String, _ current: ClassTab, _ texts: Texts) -> HTML {
    nav(.class("tabs"), .label(name)) {
        for tab in ClassTab.allCases {
            a(.href(tab.path(id)), .current(tab == current)) { texts(tab.title) }
        }
    }
}
