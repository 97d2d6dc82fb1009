import API
import Crypto
import HTTPServer
import HTTPWire
import Values

/// A sheet as a page to print: slips to cut out, in two columns and five rows on A4 or Letter, never split by a page
/// break.
struct SignInSheetPage {
    private let sheet: SignInSheet
    private var html = ""

    static func response(_ sheet: SignInSheet) -> Response {
        var page = SignInSheetPage(sheet: sheet)
        page.write()
        return Response(
            200,
            headers: [
                ResponseField("Content-Type", "text/html; charset=utf-8"),
                ResponseField("Cache-Control", "no-store"),
                ResponseField("Content-Security-Policy", policy),
                ResponseField("X-Frame-Options", "DENY"),
                ResponseField("Referrer-Policy", "no-referrer"),
            ],
            body: .bytes(Array(page.html.utf8)))
    }

    /// Nothing is loaded, sent or framed, and only the page's own style applies.
    private static let policy =
        "default-src 'none'; style-src 'sha256-\(Base64.encode(SHA256.digest(style).bytes))'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private init(sheet: SignInSheet) {
        self.sheet = sheet
    }

    private mutating func write() {
        let title = htmlEscaped(sheet.title ?? "Sign-in sheet")
        let count = sheet.slips.count == 1 ? "1 slip" : "\(sheet.slips.count) slips"
        html += """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Sign-in sheet: \(title)</title><style>\(Self.style)</style></head><body>
            <header><p>\(htmlEscaped(sheet.organization))</p><h1 dir="auto">\(title)</h1>
            <p>\(count), made on \(sheet.madeOn). Print this page, cut along the lines, and hand out the slips.
            It is shown once: nobody can look these passwords up again.</p>

            """
        if sheet.leftOut > 0 {
            html += """
                <p class="left-out">Without a slip: \(sheet.leftOut), deactivated or not yours to give a \
                password.</p>

                """
        }
        html += "</header><main>\n"
        for slip in sheet.slips { write(slip) }
        html += "</main></body></html>\n"
    }

    private mutating func write(_ slip: SignInSheet.Slip) {
        let name = htmlEscaped(slip.name.text)
        html += """
            <section><p class="class" dir="auto">\(htmlEscaped(slip.classes))</p><h2 dir="auto">\(name)</h2>
            <dl><dt>Managed ID</dt><dd>\(managedID(slip))</dd>
            <dt>Temporary password</dt><dd class="password">\(htmlEscaped(slip.password))</dd></dl>
            <p class="note">Sign in before \(sheet.expiresOn) and choose your own password: \
            \(slip.policy.inWords).</p></section>

            """
    }

    /// In two parts, so that a long one wraps before its @ rather than after a hyphen.
    private func managedID(_ slip: SignInSheet.Slip) -> String {
        let parts = slip.managedID.split(separator: "@", maxSplits: 1)
        let domain = parts.count == 2 ? "@\(parts[1])" : ""
        return "<span>\(htmlEscaped(String(parts.first ?? "")))</span>"
            + "<span>\(htmlEscaped(domain))</span>"
    }

    private static let style = """
        *{box-sizing:border-box;margin:0}
        body{font:1rem/1.4 system-ui,"Helvetica Neue",Arial,sans-serif;color:#111;background:#ececf0}
        header{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 1.25rem}
        header p{max-width:44rem;color:#48484a}h1{font-size:1.9rem;line-height:1.2;margin:.1rem 0 .5rem}
        .left-out{margin-top:.5rem;color:#8a3b00}
        main{max-width:60rem;margin:0 auto 3rem;display:grid;grid-template-columns:1fr 1fr;background:#fff}
        section{display:flex;flex-direction:column;min-width:0;min-height:52mm;padding:6mm 7mm;
        border:1px dashed #a0a0a8;margin:0 -1px -1px 0;break-inside:avoid}
        .class{min-height:1.4em;font-size:.8rem;color:#515154;overflow-wrap:anywhere}
        h2{font-size:1.25rem;line-height:1.25;overflow-wrap:anywhere;margin-bottom:.55rem}
        dt{font-size:.72rem;color:#515154}
        dd{font:600 .95rem/1.35 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;
        overflow-wrap:anywhere;margin-bottom:.35rem}
        dd span{display:inline-block;max-width:100%}
        .password{font-size:1.4rem;letter-spacing:.04em}
        .note{margin-top:auto;padding-top:.25rem;font-size:.78rem;line-height:1.35;color:#48484a}
        @media(max-width:40rem){main{grid-template-columns:1fr}}
        @page{margin:12mm}
        @media print{html{font-size:13px}body{background:#fff}header{display:none}
        main{max-width:none;margin:0;grid-template-columns:1fr 1fr}
        section{min-height:47mm;padding:4.5mm 6mm}}
        """
}

extension PasswordPolicy {
    /// What a slip says about the password to choose.
    fileprivate var inWords: String {
        switch self {
        case .standard: "eight characters or more, letters and digits"
        case .sixDigits: "six digits"
        case .fourDigits: "four digits"
        }
    }
}
