extension HandoutEditor {
    static func tasksCard(
        _ content: Content, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        let tasks = content.handout?.tasks ?? []
        return section(.class("card"), .labelledBy("s-tasks"), .id("tasks")) {
            div(.class("row row-apart")) {
                h2(.id("s-tasks")) { texts(EditorText.tasks) }
                span(.class("soft small")) {
                    texts(EditorText.taskCount, ["n": texts.number(tasks.count)])
                }
            }
            if let problem = problems["tasks"] {
                p(.class("problem")) {
                    Icon.warn.html
                    problem
                }
            }
            if tasks.isEmpty {
                p(.class("soft")) { texts(EditorText.noTask) }
            } else {
                ol(.class("list list-wraps")) {
                    for (index, task) in tasks.enumerated() {
                        li { row(task, index, of: tasks.count, content.apps, texts) }
                    }
                }
            }
            if tasks.count < 20 { adding(texts) }
        }
    }

    @HTMLBuilder
    private static func row(
        _ task: HandoutTask, _ index: Int, of count: Int, _ apps: [String: String], _ texts: Texts
    ) -> [HTML] {
        (task.kind == .link ? Icon.link : .apps).html
        div(.class("grow")) {
            p(.class("strong")) {
                span(.class("unseen")) {
                    texts(EditorText.taskNumber, ["n": texts.number(index + 1)])
                }
                written(task.title)
            }
            p(.class("small soft")) { describe(task, apps, texts) }
        }
        div(.class("wrap-end")) {
            if let tool = task.toolName { opener(task, tool, texts) }
            if index > 0 { mover("up", .up, EditorText.up, task, texts) }
            if index < count - 1 { mover("down", .down, EditorText.down, task, texts) }
            button(
                .class("button button-icon button-risk"), .type("submit"), .name("remove"),
                .value(task.id), .label(texts(EditorText.remove, ["task": task.title]))
            ) { Icon.cross.html }
        }
    }

    /// Opens the tool as a teacher sees it, beside the form: what was typed there is not saved yet.
    private static func opener(_ task: HandoutTask, _ tool: String, _ texts: Texts) -> HTML {
        a(
            .class("button button-icon"), .href("/open-tool/\(task.id)"),
            Attribute("target", "_blank"),
            .label(texts(ToolTaskText.openNew, ["tool": tool, "task": task.title]))
        ) { Icon.out.html }
    }

    private static func mover(
        _ name: String, _ icon: Icon, _ key: EditorText, _ task: HandoutTask, _ texts: Texts
    ) -> HTML {
        button(
            .class("button button-icon"), .type("submit"), .name(name), .value(task.id),
            .label(texts(key, ["task": task.title]))
        ) { icon.html }
    }

    /// What kind of thing a task is.
    static func describe(
        _ task: HandoutTask, _ apps: [String: String], _ texts: Texts
    ) -> HTML {
        let app = written(task.bundleID.flatMap { apps[$0] } ?? task.title)
        switch task.kind {
        case .appActivity: return texts.html(EditorText.inApp, ["app": app])
        case .wholeApp: return .text(texts(EditorText.wholeApp))
        case .timedApp:
            return texts.html(EditorText.minutesInApp, count: task.minutes ?? 0, ["app": app])
        case .link: return texts.html(EditorText.linkTo, ["address": written(task.url ?? "")])
        case .tool: return texts.html(EditorText.inApp, ["app": written(task.toolName ?? "")])
        }
    }

    private static func adding(_ texts: Texts) -> HTML {
        div(.class("stack card-foot")) {
            h3(.id("add")) { texts(EditorText.addTask) }
            div(.class("row"), .role("group"), .labelledBy("add")) {
                for (value, icon, key) in [
                    ("activity", Icon.apps, EditorText.addActivity), ("time", .late, .addTime),
                    ("link", .link, .addLink), ("tool", .out, .addTool),
                ] {
                    button(.class("button"), .type("submit"), .name("add"), .value(value)) {
                        icon.html
                        texts(key)
                    }
                }
            }
        }
    }
}
