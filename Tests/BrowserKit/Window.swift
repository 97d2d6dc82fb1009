import Foundation
import Glibc
import JSONBytes
import WaitKit

/// A Chromium of its own, with an empty profile. Its calls block.
package final class Window {
    private let driver: ChromeDriver
    private let path: String
    /// The beginning of the title of pages that a person would load again: the server was too busy.
    package var busyTitle: String?

    /// - Parameters:
    ///   - language: what the browser prefers, such as `de`.
    ///   - runsScripts: whether pages may run scripts.
    package init(
        _ driver: ChromeDriver, language: String = "en", runsScripts: Bool = true
    ) throws {
        self.driver = driver
        let arguments: [JSONValue] = [
            "--headless=new", "--disable-gpu", "--hide-scrollbars",
            // The sandbox needs what containers and root do not have; the pages are our own.
            "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
        ]
        var preferences = JSONObject([("intl.accept_languages", .text(language))])
        if !runsScripts {
            preferences["profile.managed_default_content_settings.javascript"] = 2
        }
        let session = try driver.call(
            "POST", "/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "browserName": "chrome",
                        "goog:chromeOptions": [
                            "binary": "/usr/bin/chromium", "args": .array(arguments),
                            "prefs": .object(preferences),
                        ],
                    ]
                ]
            ])
        path = "/session/\(session["sessionId"]?.text ?? "")"
        try resize(1440)
    }

    deinit { _ = try? driver.call("DELETE", path) }

    // MARK: Where it is

    package func open(_ url: String) throws {
        try driver.call("POST", path + "/url", ["url": .text(url)])
        try reloadWhileBusy()
    }

    package func back() throws { try driver.call("POST", path + "/back", [:]) }
    package func reload() throws { try driver.call("POST", path + "/refresh", [:]) }

    package var address: String {
        get throws { try driver.call("GET", path + "/url").text ?? "" }
    }

    /// The path of the address with its query.
    package var location: String {
        get throws {
            let address = try self.address
            return "/" + address.split(separator: "/", maxSplits: 2).dropFirst(2).joined()
        }
    }

    package var title: String {
        get throws { try driver.call("GET", path + "/title").text ?? "" }
    }

    /// What a person can read on the page.
    package var text: String {
        get throws { try text(of: find("css selector", "body")) }
    }

    /// The page as the browser has it, with what nobody can read on it.
    package var source: String {
        get throws { try driver.call("GET", path + "/source").text ?? "" }
    }

    // MARK: What a person does

    /// Loses a cookie, as when its time is over.
    package func forget(cookie name: String) throws {
        try driver.call("DELETE", "\(path)/cookie/\(name)")
    }

    /// Follows a link, presses a button or sends a form, and waits for the page after it.
    package func press(_ name: String) throws {
        try leave { try click(element: control(named: name)) }
        try reloadWhileBusy()
    }

    private func reloadWhileBusy() throws {
        for _ in 0..<10 {
            guard let busyTitle, try title.hasPrefix(busyTitle) else { return }
            usleep(300_000)
            try reload()
        }
    }

    /// Clicks on what stays on the page, such as a box or what unfolds.
    package func click(_ name: String) throws { try click(element: control(named: name)) }

    /// Types into the field with that label, in place of what it holds.
    package func fill(_ label: String, with text: String) throws {
        let field = try field(labelled: label)
        try driver.call("POST", "\(path)/element/\(field)/clear", [:])
        try driver.call("POST", "\(path)/element/\(field)/value", ["text": .text(text)])
    }

    /// Chooses from the list with that label.
    package func choose(_ option: String, in label: String) throws {
        let field = try field(labelled: label)
        let found = try driver.call(
            "POST", "\(path)/element/\(field)/element",
            Self.locator("xpath", "./option[normalize-space()=\(Self.quoted(option))]"))
        try click(element: Self.id(found))
    }

    /// Types on the keyboard, wherever the focus is.
    package func type(_ keys: Key...) throws {
        let actions = keys.flatMap { key -> [JSONValue] in
            ["keyDown", "keyUp"].map { ["type": .text($0), "value": .text(key.rawValue)] }
        }
        let keyboard: JSONValue = [
            "type": "key", "id": "keyboard", "actions": .array(actions),
        ]
        try driver.call("POST", path + "/actions", ["actions": [keyboard]])
    }

    /// Types text on the keyboard, wherever the focus is.
    package func type(_ text: String) throws {
        for character in text { try type(Key(rawValue: String(character))) }
    }

    /// Does something that leads to another page, and waits for that.
    package func leave(_ body: () throws -> Void) throws {
        let old = try find("css selector", "html")
        try body()
        let isGone = try becomes {
            do {
                try driver.call("GET", "\(path)/element/\(old)/name")
                return false
            } catch let refusal as ChromeDriver.Refusal {
                return ["stale element reference", "no such element"].contains(refusal.code)
            }
        }
        guard isGone else {
            throw ChromeDriver.Refusal(code: "no navigation", description: "the page stays")
        }
    }

    // MARK: What it looks like

    package func resize(_ width: Int, dark: Bool = false) throws {
        try command(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": JSONValue(integerLiteral: Int64(width)), "height": 900,
                "deviceScaleFactor": 1, "mobile": false,
            ])
        try command(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
                ]
            ])
    }

    /// How many pixels the page is wider than the window.
    package var overhang: Int {
        get throws {
            let root = "document.documentElement"
            return Int(
                try run("return \(root).scrollWidth - \(root).clientWidth").int64 ?? 0)
        }
    }

    /// The page as a PNG, up to a height of 3,000 pixels.
    package func picture() throws -> Data {
        let sizes = try run("return [innerWidth, document.documentElement.scrollHeight]")
        let clip: JSONValue = [
            "x": 0, "y": 0, "width": sizes[0] ?? 0,
            "height": JSONValue(integerLiteral: min(3000, sizes[1]?.int64 ?? 0)), "scale": 1,
        ]
        let picture = try command(
            "Page.captureScreenshot",
            ["format": "png", "captureBeyondViewport": true, "clip": clip])
        return Data(base64Encoded: picture["data"]?.text ?? "") ?? Data()
    }

    /// Runs a script in the page and returns what it returns.
    @discardableResult
    package func run(_ script: String) throws -> JSONValue {
        try driver.call("POST", path + "/execute/sync", ["script": .text(script), "args": []])
    }

    /// A command of Chromium's own protocol.
    @discardableResult
    private func command(_ name: String, _ parameters: JSONValue) throws -> JSONValue {
        try driver.call(
            "POST", path + "/goog/cdp/execute", ["cmd": .text(name), "params": parameters])
    }

    // MARK: Finding

    private func control(named name: String) throws -> String {
        let text = "contains(normalize-space(.), \(Self.quoted(name)))"
        let label = "@aria-label=\(Self.quoted(name))"
        return try visible(
            "//main//*[self::a or self::button or self::summary or self::label]"
                + "[\(text) or \(label)]"
                + " | //*[self::a or self::button or self::summary][\(text) or \(label)]")
    }

    private func field(labelled label: String) throws -> String {
        let name = Self.quoted(label)
        let text = "//label[starts-with(normalize-space(.), \(name))]"
        return try visible(
            "//*[@id=\(text)/@for] | \(text)//*[self::input or self::select or self::textarea]")
    }

    /// The first that is shown.
    private func visible(_ path: String) throws -> String {
        let found = try driver.call(
            "POST", self.path + "/elements", Self.locator("xpath", path))
        for element in found.array ?? [] {
            let id = Self.id(element)
            let isShown = try driver.call("GET", "\(self.path)/element/\(id)/displayed")
            if isShown.bool == true { return id }
        }
        throw ChromeDriver.Refusal(
            code: "no such element",
            description: "nothing to see at \(path) on \(try location):\n\(try text)")
    }

    private func find(_ strategy: String, _ selector: String) throws -> String {
        Self.id(
            try driver.call("POST", path + "/element", Self.locator(strategy, selector)))
    }

    /// Clicks. What the bar at the bottom covers is scrolled away from it first, as a person would.
    private func click(element: String) throws {
        let click = "\(path)/element/\(element)/click"
        do {
            try driver.call("POST", click, [:])
        } catch let refusal as ChromeDriver.Refusal where refusal.code == Self.intercepted {
            let key = "element-6066-11e4-a52e-4f735466cecf"
            try driver.call(
                "POST", "\(path)/execute/sync",
                [
                    "script": "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})",
                    "args": [[key: .text(element)]],
                ])
            try driver.call("POST", click, [:])
        }
    }

    private static let intercepted = "element click intercepted"

    private func text(of element: String) throws -> String {
        try driver.call("GET", "\(path)/element/\(element)/text").text ?? ""
    }

    private static func locator(_ strategy: String, _ selector: String) -> JSONValue {
        ["using": .text(strategy), "value": .text(selector)]
    }

    private static func id(_ element: JSONValue) -> String {
        element.object?.members.first?.value.text ?? ""
    }

    /// A literal of XPath 1.0, which knows no escapes.
    private static func quoted(_ text: String) -> String {
        text.contains("\"") ? "'\(text)'" : "\"\(text)\""
    }
}

/// A key of the keyboard, as WebDriver writes it (section 17.4.2).
package struct Key: RawRepresentable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package static let tab = Key(rawValue: "\u{E004}")
    package static let enter = Key(rawValue: "\u{E007}")
    package static let space = Key(rawValue: " ")
    package static let escape = Key(rawValue: "\u{E00C}")
}
