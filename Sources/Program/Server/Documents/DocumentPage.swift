import API
import JSONBytes

/// The API document as a web page: guides, then calls by purpose, then problem codes and shapes. Built once from the
/// document itself; reading it needs no script.
struct DocumentPage {
    /// The names of the style sheet and the script that the page refers to.
    struct Assets {
        let style: String
        let script: String
    }

    let document: JSONValue
    let assets: Assets
    var html = ""

    /// The whole page.
    static func bytes(of document: JSONValue, _ assets: Assets) -> [UInt8] {
        var page = DocumentPage(document: document, assets: assets)
        page.write()
        return Array(page.html.utf8)
    }

    private mutating func write() {
        html += """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Homeroom API</title>
            <link rel="stylesheet" href="/docs/\(assets.style)">
            <script src="/docs/\(assets.script)" defer></script></head><body>
            <a class="skip" href="#main">Skip to the content</a>
            <header class="bar"><a class="bar-school" href="/docs">Homeroom API</a>
            <span class="bar-version">\(text(document["info"]?["version"]))</span>
            <button class="bar-menu" type="button" popovertarget="side">Menu and search</button></header>
            <div class="frame frame-side">

            """
        let groups = groups()
        writeMenu(groups)
        html += "<main class=\"main\" id=\"main\">\n<h1>Homeroom API</h1>\n"
        writeGuides()
        for group in groups { write(group) }
        writeStandings(groups)
        writeCodes()
        writeShapes()
        html += "</main></div></body></html>\n"
    }

    private mutating func writeMenu(_ groups: [Group]) {
        html += """
            <nav class="side" id="side" popover aria-label="Contents">
            <button class="button side-close" type="button" popovertarget="side" popovertargetaction="hide">Close</button>
            <div class="field search" hidden><label for="search">Search</label>
            <input class="input" id="search" type="search" autocomplete="off"
            placeholder="Call, field or code"><p class="hint" id="found" role="status"></p></div>
            <p class="side-head" id="menu-guides">Guides</p><ul class="menu" aria-labelledby="menu-guides">

            """
        for guide in Self.guides {
            html += "<li><a href=\"#\(guide.id)\">\(escaped(guide.title))</a></li>\n"
        }
        html += "</ul>\n<p class=\"side-head\" id=\"menu-calls\">Calls</p>"
        html += "<ul class=\"menu\" aria-labelledby=\"menu-calls\">\n"
        for group in groups {
            html += "<li><a href=\"#\(group.id)\">\(escaped(group.title))</a></li>\n"
        }
        html += """
            </ul>
            <p class="side-head" id="menu-reference">Reference</p><ul class="menu" aria-labelledby="menu-reference">
            <li><a href="#standings">Who may call what</a></li>
            <li><a href="#problems">Problem codes</a></li><li><a href="#shapes">Shapes</a></li>
            <li><a href="/openapi.json">openapi.json</a></li></ul></nav>

            """
    }

    // MARK: Reference

    private mutating func writeCodes() {
        html += "<section id=\"problems\"><h2>Problem codes</h2>\n"
        html +=
            "<p>What each <code>code</code> means, and what to do. The <code>type</code> of a problem leads here.</p>\n"
        html += "<dl class=\"facts\">\n"
        for code in APIDescription.homeroom.codes {
            html += "<div id=\"problem-\(code.code)\"><dt><code>\(code.code)</code></dt>"
            html += "<dd>\(marked(code.meaning))</dd></div>\n"
        }
        html += "</dl></section>\n"
    }

    private mutating func writeShapes() {
        html += "<section id=\"shapes\"><h2>Shapes</h2>\n"
        html +=
            "<p>What bodies and answers are made of. A field that is not required may be left out.</p>\n"
        for schema in document["components"]?["schemas"]?.object?.members ?? [] {
            html +=
                "<div class=\"shape\" id=\"\(escaped(schema.key))\"><h3>\(escaped(schema.key))</h3>\n"
            writeFields(of: schema.value, named: schema.key)
            html += "</div>\n"
        }
        html += "</section>\n"
    }

    private mutating func writeFields(of schema: JSONValue, named name: String) {
        guard let properties = schema["properties"]?.object else {
            html += "<p>\(describe(schema))</p>\n"
            return
        }
        let required = (schema["required"]?.array ?? []).compactMap(\.text)
        beginTable("Fields of \(name)", "Field", "Type", "Meaning")
        for property in properties.members {
            row(
                property.key, describe(property.value),
                property.value["description"]?.text ?? "",
                isRequired: required.contains(property.key))
        }
        endTable()
    }
}
