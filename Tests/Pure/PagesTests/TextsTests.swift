import HTTPWire
import Testing
import Values

@testable import Pages

/// Whether every language has every text.
@Suite struct Catalogues {
    /// The keys of a language in the source: with its plural forms where a text is about a number.
    private func keys(of language: Language) throws -> Set<String> {
        let english = try Catalogue(Catalogue.source(of: .english)).texts.keys
        var keys: Set<String> = []
        for type in Screens.textKeys {
            for key in names(type) {
                let isPlural = english.contains("\(key).other")
                keys.formUnion(
                    isPlural ? language.pluralForms.map { "\(key).\($0.rawValue)" } : [key])
            }
        }
        return keys
    }

    private func names<Key: TextKey>(_ type: Key.Type) -> [String] { type.allCases.map(\.key) }

    @Test(arguments: Language.allCases)
    func `every text is there, and none that no page says`(language: Language) throws {
        let needed = try keys(of: language)
        let present = Set(try Catalogue(Catalogue.source(of: language)).texts.keys)
        #expect(needed.subtracting(present).sorted() == [], "missing")
        #expect(present.subtracting(needed).sorted() == [], "superfluous")
        #expect(needed.count > 100)
    }

    @Test(arguments: Language.allCases)
    func `every text takes the same values as in English`(language: Language) throws {
        let english = try Catalogue(Catalogue.source(of: .english)).texts
        for (key, template) in try Catalogue(Catalogue.source(of: language)).texts {
            let original = english[key] ?? english[key.replacing(".other", with: ".one")]
            #expect(template.names == original?.names, "\(key)")
        }
    }

    @Test func `no two screens share a section`() {
        let sections = Screens.textKeys.map { $0.section }
        #expect(Set(sections).count == sections.count)
    }

    @Test(arguments: [
        ("[a]\nb = c\nb = d", "line 3 repeats a.b"),
        ("b = c", "line 1 is neither [section] nor key = text"),
        ("[a]\nb", "line 2 is neither [section] nor key = text"),
        ("[a]\nb = {c", "line 2 leaves a brace or an asterisk open"),
        ("[a]\nb = *c", "line 2 leaves a brace or an asterisk open"),
    ])
    func `a broken file is refused with its line`(file: String, complaint: String) {
        #expect {
            _ = try Catalogue(file)
        } throws: { error in
            "\(error)" == complaint
        }
    }
}

@Suite struct TextsInLanguages {
    private func accepted(_ header: String) -> QualityList {
        QualityList(HeaderFields([("Accept-Language", header)]), "accept-language")
    }

    @Test(arguments: [
        ("de-CH,de;q=0.9,en;q=0.8", Language.german), ("ja", .japanese), ("zh-TW", .chinese),
        ("fr, zh;q=0.5, en;q=0.4", .chinese), ("fr", .english), ("", .english),
        ("de;q=0, en;q=0.1", .english), ("en;q=0.1, de;q=0.2", .german),
    ])
    func `the browser's languages decide`(header: String, language: Language) {
        #expect(Language(chosen: nil, accepted: accepted(header)) == language)
    }

    @Test func `the person's choice comes first, unless it is none of ours`() {
        #expect(Language(chosen: "ja", accepted: accepted("de")) == .japanese)
        #expect(Language(chosen: "<script>", accepted: accepted("de")) == .german)
    }

    @Test(arguments: Language.allCases)
    func `everything that checks find can be said of any number`(language: Language) {
        for check in CheckText.allCases {
            for count in [1, 2] {
                #expect(!Texts(language)(check, count: count).isEmpty)
            }
        }
    }

    @Test func `plurals and values`() {
        #expect(Texts(.english)(ClassText.tasks, count: 1) == "1 task")
        #expect(Texts(.english)(ClassText.tasks, count: 2) == "2 tasks")
        #expect(Texts(.english)(ClassText.tasks, count: 0) == "0 tasks")
        #expect(Texts(.german)(ClassText.tasks, count: 1) == "1 Aufgabe")
        #expect(Texts(.japanese)(ClassText.tasks, count: 1) == "タスク1件")
        #expect(Texts(.english)(ClassText.students, count: 1234) == "1,234 students")
    }

    @Test func `values in markup are escaped, emphasis is an element`() {
        let html = Texts(.english).html(
            DeviceText.codeIs, ["code": code { "<b>" }])
        #expect(String(decoding: html.bytes, as: UTF8.self) == "Code: <code>&lt;b&gt;</code>")
        let warning = Texts(.english).html(DeviceText.warning)
        #expect(
            String(decoding: warning.bytes, as: UTF8.self).hasPrefix(
                "<strong>Only enter a code that you see on your own screen.</strong> If"))
    }

    @Test func `a moment of today has a small letter within a sentence`() {
        let english = Texts(.english)
        let when = "Today, 8:00"
        #expect(english(ClassText.due, ["when": when]) == "Due today, 8:00")
        #expect(
            english(WebhooksText.answered, ["when": when, "status": "200"])
                == "Today, 8:00: answered with 200")
        let german = Texts(.german).html(
            MyLaunchText.toolRecorded, ["when": .text("Heute, 8:00 Uhr"), "app": .text("Heute")])
        let written = String(decoding: german.bytes, as: UTF8.self)
        #expect(written.contains("seit heute, 8:00 Uhr") && written.contains(">Heute<"))
    }

    @Test func `a notice is only a text that is meant as one`() {
        let texts = Texts(.english)
        #expect(texts.notice("signIn.noticeSignedOut") == "You are signed out.")
        for key in ["signIn.title", "notice", "", "signIn.noticeUnknown", "<script>"] {
            #expect(texts.notice(key) == nil, "\(key)")
        }
    }

    @Test func `numbers and shares`() {
        let (english, german) = (Texts(.english), Texts(.german))
        #expect(english.number(1_234_567) == "1,234,567")
        #expect(german.number(-1234) == "−1.234")
        #expect(english.number(7.44) == "7.4" && german.number(7.46) == "7,5")
        #expect(english.number(7.0) == "7" && english.number(-0.01) == "0")
        #expect(english.number(0.05, decimals: 2) == "0.05")
        #expect(english.percent(0.756) == "76%" && german.percent(0.756) == "76\u{A0}%")
        #expect(english.duration(seconds: 0) == "0 min" && english.duration(seconds: 20) == "1 min")
        #expect(english.duration(seconds: 3900) == "1 h 5 min")
        #expect(Texts(.japanese).duration(seconds: 3900) == "1時間5分")
    }

    @Test func lists() {
        #expect(Texts(.english).list(["a", "b", "c"]) == "a, b and c")
        #expect(Texts(.german).list(["a", "b"]) == "a und b")
        #expect(Texts(.chinese).list(["a", "b", "c"]) == "a、b和c")
        #expect(Texts(.english).list([]) == "" && Texts(.english).list(["a"]) == "a")
    }
}

@Suite struct Times {
    private let zurich = TimeZone.named("Europe/Zurich")

    private func local(_ text: String, _ zone: TimeZone) throws -> LocalTime {
        LocalTime(try #require(Timestamp(text)), in: zone)
    }

    @Test(arguments: [
        // Winter, summer, the moments of change, before and after what the file lists.
        ("2026-11-20T16:00:00Z", "2026-11-20", 17), ("2026-07-01T22:30:00Z", "2026-07-02", 0),
        ("2026-03-29T00:59:59Z", "2026-03-29", 1), ("2026-03-29T01:00:00Z", "2026-03-29", 3),
        ("2026-10-25T00:59:59Z", "2026-10-25", 2), ("2026-10-25T01:00:00Z", "2026-10-25", 2),
        ("2099-07-01T12:00:00Z", "2099-07-01", 14), ("2099-12-31T23:30:00Z", "2100-01-01", 0),
    ])
    func `a zone with summer time`(moment: String, day: String, hour: Int) throws {
        #expect(zurich.name == "Europe/Zurich")
        let time = try local(moment, zurich)
        #expect(time.day.description == day && time.hour == hour)
    }

    @Test(arguments: [
        ("Asia/Tokyo", "2026-06-01T15:00:00Z", "2026-06-02", 0, 0),
        ("Asia/Kathmandu", "2026-06-01T00:00:00Z", "2026-06-01", 5, 45),
        ("America/St_Johns", "2026-06-01T00:00:00Z", "2026-05-31", 21, 30),
        ("Australia/Sydney", "2095-01-01T00:00:00Z", "2095-01-01", 11, 0),
        ("Australia/Sydney", "2095-07-01T00:00:00Z", "2095-07-01", 10, 0),
        ("UTC", "2026-06-01T00:00:00Z", "2026-06-01", 0, 0),
    ])
    func `zones of the world`(
        name: String, moment: String, day: String, hour: Int, minute: Int
    ) throws {
        let time = try local(moment, .named(name))
        #expect(time.day.description == day && time.hour == hour && time.minute == minute)
    }

    @Test(arguments: ["../../../etc/passwd", "/etc/passwd", "", "Nowhere/City", "Europe", "a/../b"])
    func `an unknown zone is UTC`(name: String) {
        #expect(TimeZone.named(name).name == "UTC")
    }

    @Test func `a broken zone file is none`() {
        #expect(TimeZone(name: "x", file: []) == nil)
        #expect(TimeZone(name: "x", file: Array("TZif2".utf8)) == nil)
        let huge = Array("TZif2".utf8) + [UInt8](repeating: 0xFF, count: 200)
        #expect(TimeZone(name: "x", file: huge) == nil)
    }

    @Test func `dates of each language`() throws {
        let today = try #require(Day("2026-11-22"))
        let time = try local("2026-11-20T16:05:00Z", zurich)
        let texts = Language.allCases.map { Texts($0) }
        #expect(
            texts.map { $0.moment(time, today: today) } == [
                "Fri 20 Nov, 17:05", "Fr., 20. Nov., 17:05 Uhr", "11月20日（金） 17:05",
                "11月20日周五 17:05",
            ])
        #expect(texts[0].moment(time, today: time.day) == "Today, 17:05")
        #expect(
            texts.map { $0.longDay(today) } == [
                "Sunday 22 November", "Sonntag, 22. November", "11月22日 日曜日", "11月22日 星期日",
            ])
        let early = try #require(Day("2025-01-06"))
        #expect(
            texts.map { $0.day(early, today: today) } == [
                "Mon 6 Jan 2025", "Mo., 6. Jan. 2025", "2025年1月6日（月）", "2025年1月6日周一",
            ])
    }
}
