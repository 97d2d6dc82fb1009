import API
import Archive
import Foundation
import HTTPWire
import JSONBytes
import School
import Server
import TestKit
import Testing

@testable import ServerKit

/// The API document for people, and how both forms of it are sent.
@Suite struct ApiPage {
    @Test func `names every call and every code, allows nothing inline and nothing unescaped`()
        async throws
    {
        try await withSchool { school in
            let page = try await school.get("/docs", as: nil)
            #expect(page.status == 200)
            #expect(page.header("content-type") == "text/html; charset=utf-8")
            for endpoint in school.features.flatMap(\.endpoints) {
                let call = "<b>\(endpoint.method.name)</b> \(endpoint.path)</code>"
                #expect(page.text.contains(call), "\(call)")
            }
            #expect(page.text.contains("<p>Its pools are removed with it.</p>"))
            for code in APIDescription.homeroom.codes {
                #expect(page.text.contains("id=\"problem-\(code.code)\""), "\(code.code)")
            }
            #expect(!page.text.contains("<style"))
            #expect(!page.text.contains(" style="))
            #expect(!page.text.contains(" onclick="))
            #expect(page.text.split(separator: "<script").count == 2, "one, by its address")
            let policy = try #require(page.header("content-security-policy"))
            #expect(!policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'"))
        }
    }

    @Test func `every link within the page leads somewhere, and no id occurs twice`() async throws {
        try await withSchool { school in
            let page = try await school.get("/docs", as: nil).text
            let ids = page.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
            #expect(Set(ids).count == ids.count)
            let links = Set(page.matches(of: /href="#([^"]*)"/).map { String($0.1) })
            #expect(links.count > 50)
            #expect(links.subtracting(ids) == [])
        }
    }

    @Test
    func `every example is a command that the shell reads, with variables for the reader to set`()
        async throws
    {
        try await withSchool { school in
            let page = try await school.get("/docs", as: nil).text
            let examples = page.matches(of: /<pre><code>(curl [^<]*)<\/code>/).map {
                String($0.1).replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
                    .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                    .replacing("&amp;", with: "&")
            }
            #expect(examples.count > school.features.flatMap(\.endpoints).count)
            for example in examples { #expect(!example.contains("$PATH"), "\(example)") }
            let sheet = try #require(examples.last { $0.contains("/v1/sign-in-sheets") })
            #expect(sheet.contains("-H 'Accept: text/csv'"), "\(sheet)")
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/bash")
            shell.arguments = ["-n", "-c", examples.joined(separator: "\n")]
            let read = try await Homeroom.finish(shell)
            #expect(read.status == 0 && read.complaints.isEmpty, "\(read.complaints)")
        }
    }

    @Test func `it says for every standing what it is for and which calls it has`() async throws {
        try await withSchool { school in
            let page = try await school.get("/docs", as: nil).text
            let section = try #require(page.components(separatedBy: "id=\"standings\"").last)
            for name in Standing.allCases.map(\.rawValue) + ["anyone"] {
                let fold = try #require(
                    section.components(separatedBy: "<summary>\(name) ").dropFirst().first,
                    "\(name)")
                let own = fold.components(separatedBy: "</details>")[0]
                #expect(own.contains("<p>") && own.contains("<li><a href=\"#"), "\(name)")
            }
        }
    }

    @Test func `its style sheet and script are sent under the names it uses`() async throws {
        try await withSchool { school in
            let page = try await school.get("/docs", as: nil).text
            let names = page.matches(of: /"(\/docs\/[^"]+)"/).map { String($0.1) }
            #expect(names.count == 2)
            let types = ["text/css; charset=utf-8", "text/javascript; charset=utf-8"]
            for (name, type) in zip(names, types) {
                let file = try await school.get(name, as: nil)
                #expect(file.status == 200)
                #expect(file.header("content-type") == type)
                #expect(!file.body.isEmpty)
            }
            #expect(try await school.get("/docs/other.css", as: nil).status == 404)
        }
    }

    @Test(arguments: ["/openapi.json", "/docs"])
    func `is sent in gzip to clients that accept it`(path: String) async throws {
        try await withSchool { school in
            let plain = try await school.get(path, as: nil)
            #expect(plain.header("content-encoding") == nil)
            #expect(plain.header("vary") == "Accept-Encoding")
            for accepted in ["gzip", "deflate, gzip;q=0.5", "br, GZIP"] {
                let packed = try await school.get(
                    path, as: nil, headers: [("Accept-Encoding", accepted)])
                #expect(packed.header("content-encoding") == "gzip")
                #expect(packed.header("etag") != plain.header("etag"))
                #expect(packed.body.count < plain.body.count / 3)
                var body: [UInt8]? = packed.body
                let reader = GzipReader(limit: .max) {
                    defer { body = nil }
                    return body
                }
                var unpacked: [UInt8] = []
                while let piece = try reader.next() { unpacked += piece }
                #expect(unpacked == plain.body)
            }
            for refused in ["identity", "gzip;q=0", "gzipped"] {
                let answer = try await school.get(
                    path, as: nil, headers: [("Accept-Encoding", refused)])
                #expect(answer.header("content-encoding") == nil, "\(refused)")
            }
            let tag = try #require(plain.header("etag"))
            let known = try await school.get(path, as: nil, headers: [("If-None-Match", tag)])
            #expect(known.status == 304)
        }
    }
}
