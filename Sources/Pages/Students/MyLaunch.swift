enum MyLaunchText: String, TextKey {
    case recorded, recordedWhat, toolRecorded, toolRecordedWhat, notRecorded, toolNotRecorded
    case link, openSelf, minutes, version
    case licensed, unlicensed, back

    static let section = "myLaunch"
}

/// `/my-work/{id}/tasks/{task}`: says what is recorded, and leads into the app.
enum MyLaunch: Screen {
    static var pages: [Page] {
        [
            .show("/my-work/{id}/tasks/{task}", for: .student) { visit in
                async let apps = MyApps.load(visit)
                let handout = MyHandout(
                    try await visit.api.get("/v1/me/handouts/\(visit["id"])"))
                return (handout: handout, apps: try await apps)
            } render: { content, visit in
                guard let task = content.handout.tasks.first(where: { $0.id == visit["task"] })
                else { return ErrorPage.absent(visit) }
                return view(task, content.handout, content.apps, visit)
            }
        ]
    }

    private static func view(
        _ task: MyTask, _ handout: MyHandout, _ apps: MyApps, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        let back: LocalPath = "/my-work/\(handout.id)"
        return View(task.title) {
            div {
                studentPath(texts, [("/my-work", texts(WorkText.title)), (back, handout.title)])
                heading(
                    task.title,
                    below: dotted([
                        MyHandoutPage.kind(task, apps, texts),
                        .text(MyHandoutPage.due(handout, visit)),
                    ]))
            }
            div(.class("stack reading")) {
                recording(task, handout, apps, visit)
                if let returned = task.state.returned {
                    MyHandoutPage.returnNote(returned, task.state, visit)
                }
                section(.class("card")) {
                    if let bundleID = task.bundleID {
                        app(bundleID, task, apps, visit)
                    } else if let tool = task.toolName {
                        p { self.tool(tool, task, texts) }
                    } else if let url = task.url {
                        p { launch(url, texts(MyHandoutText.openLink)) }
                    }
                    p { a(.href(back)) { texts(MyLaunchText.back) } }
                }
            }
        }
    }

    private static func recording(
        _ task: MyTask, _ handout: MyHandout, _ apps: MyApps, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        guard let name = task.reporter(apps) else {
            return notice(.plain, .info) {
                p { texts.html(MyLaunchText.link, ["host": written(task.host ?? "")]) }
            }
        }
        guard let since = task.recordedSince else {
            return notice(.plain, .off) {
                h2 { texts(MyHandoutText.notRecordedTitle) }
                p {
                    texts.html(
                        task.toolName == nil ? MyLaunchText.notRecorded : .toolNotRecorded,
                        task.toolName == nil ? [:] : ["app": written(name)])
                }
            }
        }
        return notice(.plain, .shield) {
            h2 { texts(MyHandoutText.recordedTitle) }
            p {
                texts.html(
                    task.toolName == nil ? MyLaunchText.recorded : .toolRecorded,
                    [
                        "teachers": MyHandoutPage.recipients(handout, texts),
                        "class": written(handout.className),
                        "when": .text(visit.moment(since)),
                        "app": written(name),
                    ])
            }
            p {
                texts.html(
                    task.toolName == nil ? MyLaunchText.recordedWhat : .toolRecordedWhat,
                    task.toolName == nil ? [:] : ["app": written(name)])
            }
            p { a(.href("/recorded")) { texts(MyHandoutText.recordedLink) } }
        }
    }

    @HTMLBuilder
    private static func app(
        _ bundleID: String, _ task: MyTask, _ apps: MyApps, _ visit: Visit
    ) -> [HTML] {
        let texts = visit.texts
        let name = apps.name(bundleID)
        if let minutes = task.minutes { p { texts(MyLaunchText.minutes, count: minutes) } }
        if let app = visit.offered.app, app.isNamed(bundleID) {
            p { launch(app.address(from: visit), texts(MyHandoutText.openApp, ["app": name])) }
        } else if let link = task.universalLink {
            p { launch(link, texts(MyHandoutText.openApp, ["app": name])) }
        } else {
            p {
                texts.html(
                    MyLaunchText.openSelf, ["app": written(name), "task": written(task.title)])
            }
        }
        p(.class("soft")) {
            texts.html(
                apps.isLicensed(bundleID) ? MyLaunchText.licensed : .unlicensed,
                ["app": written(name)])
        }
        if let version = task.minimumVersion {
            p(.class("soft")) {
                texts.html(
                    MyLaunchText.version, ["app": written(name), "version": written(version)])
            }
        }
    }

    /// A link that leads into the tool, which learns of the task and knows the student by a pseudonym.
    private static func tool(_ name: String, _ task: MyTask, _ texts: Texts) -> HTML {
        a(.class("button button-main"), .href("/open-tool/\(task.id)")) {
            Icon.out.html
            texts(MyHandoutText.openApp, ["app": name])
        }
    }

    /// A link to elsewhere, which does not learn from where.
    private static func launch(_ url: String, _ text: String) -> HTML {
        a(.class("button button-main"), .href(elsewhere: url), .rel("noreferrer")) {
            Icon.out.html
            text
        }
    }
}
