import Foundation
import TestKit
import Testing

@testable import ServerKit

/// The sample apps and the developer's command, against the built program.
@Suite struct SampleApps {
    private static let folder = URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
        .appending(path: "Sources/Device/Samples").path
    private static let programs = URL(filePath: Homeroom.executable).deletingLastPathComponent()
        .path

    /// - Parameters:
    ///   - answers: what a student types.
    ///   - found: what the teacher's report says of it.
    @Test(arguments: [
        (
            sample: "quizler", answers: "12\\n21\\n60\\n",
            found: [
                "\"score\":2,\"maxScore\":3", "\"isFinal\":false",
                "\"title\":\"38 + 24\",\"value\":false,\"valueType\":\"correctIncorrect\"",
            ]
        ),
        (
            sample: "bookreader", answers: "\\np\\n\\n\\n\\ny\\n",
            found: ["\"progress\":1", "\"doneAt\":\"20", "\"title\":\"Between Two Tides\""]
        ),
        (
            sample: "bookreader", answers: "\\na\\n\\nq\\n",
            found: ["\"isFinal\":true", "\"isFinal\":false", "\"doneAt\":null"]
        ),
        (
            sample: "learn-swift", answers: "t\\nf\\nf\\n",
            found: [
                "\"score\":2,\"maxScore\":3", "\"doneAt\":\"20",
                "\"title\":\"A variable has one type.\",\"value\":false",
            ]
        ),
    ])
    func `what a student does in a sample is in the teacher's report`(
        sample: String, answers: String, found: [String]
    ) async throws {
        try await withSchool { school in
            let server = try await WalkedServer(school.homeroom)
            defer { server.stop() }
            let run = try await server.run(
                """
                export HOMEROOM_SERVER=$URL HOMEROOM_ADMINISTRATOR='\(Persona.ada.managedID)'
                export HOMEROOM_PASSWORD='\(Persona.password)' SAMPLE_PROGRAMS='\(Self.programs)'
                printf '\(answers)' | '\(Self.folder)/try' \(sample)
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            for text in found { #expect(run.output.contains(text), "\(text) in \(run.output)") }
        }
    }

    @Test func `a provider's contexts are published before anyone starts the app`() async throws {
        try await withSchool { school in
            let server = try await WalkedServer(school.homeroom)
            defer { server.stop() }
            let run = try await server.run(
                """
                made=$(homeroom developer-key create --out key.p8 --json)
                text() { grep -o "\\"$1\\":\\"[^\\"]*" | head -n 1 | cut -d '"' -f 4; }
                key=$(text keyId <<<"$made")
                curl -sf "$URL/v1/developer-teams" -H 'Authorization: Bearer \(Persona.ada.token)' \\
                    -H 'Content-Type: application/json' -d "{\\"teamId\\":\\"T3A5M8ID01\\",\\"name\\":\\"Learn\\",
                    \\"bundleIds\\":[\\"org.example.learn\\"],\\"keys\\":[{\\"keyId\\":\\"$key\\",
                    \\"publicKey\\":\\"$(text publicKey <<<"$made")\\"}]}" >&2
                export CLASSKIT_BUNDLE=org.example.learn
                export_tree() {
                    classkit-catalog export --provider '\(Self.programs)/learn-swift' --server "$URL" "$@"
                }
                export_tree --dry-run
                for time in 1 2; do export_tree --team T3A5M8ID01 --key-id "$key" --key key.p8; done
                curl -sfG "$URL/v1/catalog/apps/org.example.learn/contexts" \\
                    -H 'Authorization: Bearer \(Persona.tom.token)' -d environment=development \\
                    --data-urlencode 'path=["2_vars"]'
                """, school.homeroom)
            #expect(run.status == 0, "\(run.complaints)")
            #expect(
                run.output.contains("  2_vars (lesson) What Is a Variable?\n    quiz (quiz) Quiz:"))
            #expect(
                run.output.contains("Published 13 contexts and 0 thumbnails of org.example.learn."))
            #expect(run.output.contains("\"title\":\"Quiz: What Is a Variable?\""))
        }
    }
}
