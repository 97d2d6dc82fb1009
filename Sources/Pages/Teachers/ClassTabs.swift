/// The pages of one class.
enum ClassTab: Sendable, CaseIterable {
    case handouts, progress, apps, insights, grades, students

    fileprivate func title(_ texts: Texts) -> String {
        switch self {
        case .handouts: texts(ClassText.handouts)
        case .progress: texts(ClassText.progress)
        case .apps: texts(AppProgressText.apps)
        case .insights: texts(InsightText.tab)
        case .grades: texts(GradesText.tab)
        case .students: texts(RosterText.title)
        }
    }

    fileprivate func path(_ id: String) -> LocalPath {
        switch self {
        case .handouts: "/classes/\(id)"
        case .progress: "/classes/\(id)/progress"
        case .apps: "/classes/\(id)/apps"
        case .insights: "/classes/\(id)/insights"
        case .grades: "/classes/\(id)/grades"
        case .students: "/classes/\(id)/roster"
        }
    }
}

/// The links between the pages of a class.
func classTabs(_ id: String, _ name: String, _ current: ClassTab, _ texts: Texts) -> HTML {
    nav(.class("tabs"), .label(name)) {
        for tab in ClassTab.allCases {
            a(.href(tab.path(id)), .current(tab == current)) { tab.title(texts) }
        }
    }
}
