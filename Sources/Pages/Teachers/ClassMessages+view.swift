extension ClassMessages {
    /// The newest announcements, for the page of the class.
    static func newest(
        _ messages: [Message], of schoolClass: TaughtClass, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        if schoolClass.isArchived, messages.isEmpty { return .nothing }
        return section(.class("card"), .labelledBy("announcements")) {
            div(.class("row row-apart")) {
                h2(.id("announcements")) { texts(MessageText.title) }
                if messages.count > 3 {
                    a(.href("/classes/\(schoolClass.id)/announcements")) {
                        texts(MessageText.all, count: messages.count)
                    }
                }
            }
            if !messages.isEmpty { list(messages.prefix(3), of: schoolClass, visit) }
            if !schoolClass.isArchived {
                details(.class("fold no-print")) {
                    summary { texts(MessageText.postTitle) }
                    postForm(visit, "/classes/\(schoolClass.id)/announcements") {
                        fields("", .none, texts)
                        button(.class("button"), .type("submit")) { texts(MessageText.post) }
                    }
                }
            }
        }
    }

    static func view(
        _ schoolClass: TaughtClass, _ messages: [Message], _ text: String,
        _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return page(MessageText.title, problems, visit) {
            crumbs([("/classes/\(schoolClass.id)", schoolClass.name)], texts)
        } content: {
            if !schoolClass.isArchived {
                postForm(
                    visit, "/classes/\(schoolClass.id)/announcements", .class("card reading")
                ) {
                    fields(text, problems, texts)
                    button(.class("button button-main"), .type("submit")) {
                        texts(MessageText.post)
                    }
                }
            }
            if messages.isEmpty {
                p(.class("soft")) { texts(MessageText.none) }
            } else {
                section(.class("card reading"), .label(texts(MessageText.title))) {
                    list(messages[...], of: schoolClass, visit)
                }
            }
        }
    }

    static func editView(
        _ message: Message, _ text: String, tag: String, _ problems: FormProblems, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return page(MessageText.editTitle, problems, visit) {
            back(message, texts)
        } content: {
            editForm(
                visit, visit.address.withoutQuery, version: tag, .class("card reading")
            ) {
                fields(text, problems, texts)
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(MessageText.save)
                    }
                    a(.class("button button-plain"), .href("/classes/\(message.classID)")) {
                        texts(TeachingText.cancel)
                    }
                }
            }
        }
    }

    static func removeView(
        _ message: Message, tag: String, problem: String? = nil, _ visit: Visit
    ) -> View {
        let texts = visit.texts
        return page(MessageText.removeTitle, .none, visit) {
            back(message, texts)
        } content: {
            if let problem { notice(.bad, .warn) { p { problem } } }
            postForm(visit, visit.address.withoutQuery, .class("card reading")) {
                input(.type("hidden"), .name("tag"), .value(tag))
                paragraphs(message.text)
                p(.class("soft")) { texts(MessageText.removeText) }
                div(.class("row")) {
                    button(.class("button button-risk"), .type("submit")) {
                        texts(MessageText.removeButton)
                    }
                    a(.class("button button-plain"), .href("/classes/\(message.classID)")) {
                        texts(TeachingText.cancel)
                    }
                }
            }
        }
    }

    // MARK: Parts

    private static func page(
        _ key: MessageText, _ problems: FormProblems, _ visit: Visit,
        @HTMLBuilder above: () -> [HTML], @HTMLBuilder content: () -> [HTML]
    ) -> View {
        let texts = visit.texts
        let title = texts(key)
        return View(problems.isEmpty ? title : texts(ErrorText.formTitle, ["title": title])) {
            div {
                parts(above)
                heading(title)
            }
            problems.summary(texts(MessageText.errorsTitle))
            parts(content)
        }
    }

    private static func back(_ message: Message, _ texts: Texts) -> HTML {
        crumbs(
            [
                (
                    "/classes/\(message.classID)/announcements",
                    texts(MessageText.title)
                )
            ], texts)
    }

    private static func fields(
        _ text: String, _ problems: FormProblems, _ texts: Texts
    ) -> HTML {
        textField(
            "text", label: texts(MessageText.text), hint: texts(MessageText.postHint),
            problem: problems["text"], text)
    }

    private static func list(
        _ messages: ArraySlice<Message>, of schoolClass: TaughtClass, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        return ul(.class("list list-wraps")) {
            for message in messages {
                li {
                    div(.class("grow")) {
                        paragraphs(message.text)
                        p(.class("small soft")) { origin(message, schoolClass, visit) }
                    }
                    if !schoolClass.isArchived {
                        div(.class("wrap-end no-print")) {
                            a(.href("/announcements/\(message.id)/edit")) {
                                texts(MessageText.edit)
                            }
                            a(.href("/announcements/\(message.id)/delete")) {
                                texts(MessageText.remove)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Who posted it, and when.
    private static func origin(
        _ message: Message, _ schoolClass: TaughtClass, _ visit: Visit
    ) -> HTML {
        let texts = visit.texts
        let when = message.postedAt.map(visit.moment) ?? ""
        guard let author = message.authorID, author != visit.person?.id else {
            return .text(
                message.authorID == nil ? when : texts(MessageText.byYou, ["when": when]))
        }
        // A colleague who no longer teaches the class has no name here.
        guard let name = schoolClass.teachers[author] else { return .text(when) }
        return texts.html(
            MessageText.writtenBy,
            ["name": written(name), "when": .text(when)])
    }

    /// Text with its line ends.
    private static func paragraphs(_ text: String) -> HTML {
        parts {
            for line in text.split(separator: "\n") { p(.dirAuto) { String(line) } }
        }
    }
}
