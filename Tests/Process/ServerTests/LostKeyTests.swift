import Foundation
import JSONBytes
import Postgres
import School
import TestKit
import Testing
import Values

@testable import ServerKit

/// `deploy/guides/lost-keys.md`: every command of it, in its order, against the built executable.
@Suite struct LostKeys {
    @Test func `every command of the guide does what the guide says`() async throws {
        let databases = try TestDatabase.shared()
        try databases.connect(to: "postgres").execute("create database lost_keys")
        defer { databases.drop("lost_keys") }
        let homeroom = Homeroom(
            databaseURL: databases.url("lost_keys", user: "school_server"),
            migrationURL: databases.url("lost_keys", user: nil))
        #expect(try await homeroom("migrate").status == 0)
        let server = try await WalkedServer(homeroom)
        defer { server.stop() }
        let script = try Self.before + Self.commands() + Self.after
        let run = try await server.run(script, homeroom)
        #expect(run.status == 0, "\(run.output)\(run.complaints)")
        let checks = run.output.split(separator: "\n").filter { $0.hasPrefix("check ") }
        #expect(
            checks == [
                "check secret 401", "check account 401", "check people 2", "check token 401",
                "check grace administrator", "check events 200",
            ], "\(run.output)\(run.complaints)")

        let owner = try databases.connect(to: "lost_keys")
        let state = try owner.query(
            """
            select (select count(*) from school.credential where not is_temporary) as lasting,
                   (select count(*) from school.person where source_id is not null) as imported,
                   (select count(*) from school.deployment_key where key_id = 'OLDKEY0001') as old_keys,
                   (select count(*) from school.signing_key) as signing_keys
            """)[0]
        #expect(try state.int("lasting") == 0)
        #expect(try state.int("imported") == 0)
        #expect(try state.int("old_keys") == 0)
        #expect(try state.int("signing_keys") == 0)
    }

    /// A school in which there is something to lose.
    private static let before = """
        work=$PWD
        homeroom organization create --name Hillside --domain hillside.example \\
            --administrator ada@hillside.example --json >made
        field() { grep -o "\\"$1\\":\\"[^\\"]*" | head -n 1 | cut -d '"' -f 4; }
        status() { curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$2"; }
        school=$(field organizationId <made) ada=$(field administratorId <made) first=$(field accessToken <made)
        curl -sSf -H "Authorization: Bearer $first" $URL/v1/service-accounts \\
            --json '{"name": "Nightly job", "role": "provisioner"}' >account
        account=$(field id <account) secret=$(field clientSecret <account)
        service=$(curl -sSf -u $account:$secret $URL/oauth/token -d grant_type=client_credentials \\
            | grep -o '"access_token":"[^"]*' | cut -d '"' -f 4)
        homeroom developer-key create --out old.p8
        openssl pkey -in old.p8 -pubout -out old.pem
        mkdir archive
        printf 'location_id,location_name\\nL1,North School\\n' >archive/locations.csv
        printf 'person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id\\n' \\
            >archive/staff.csv
        printf 'T1,,Tom,,Example,,,L1\\n' >>archive/staff.csv
        python3 -c 'import shutil; shutil.make_archive("archive", "zip", "archive")'
        import=$(homeroom import archive.zip --organization $school --json | field id)
        [ "$(status $service $URL/v1/people)" = 200 ]

        """

    /// What the guide promises.
    private static let after = """

        echo "check secret $(curl -sS -o /dev/null -w '%{http_code}' -u $account:$secret $URL/oauth/token \\
            -d grant_type=client_credentials)"
        echo "check account $(status $service $URL/v1/people)"
        echo "check people $(homeroom administrator list --organization $school | wc -l)"
        echo "check token $(status $token $URL/v1/me)"
        grace=$(homeroom administrator list --organization $school | grep grace | cut -d ' ' -f 1)
        again=$(homeroom token create --organization $school --role administrator --person $grace --json | field accessToken)
        echo "check grace $(curl -sSf -H "Authorization: Bearer $again" $URL/v1/me | grep -o administrator | head -n 1)"
        echo "check events $(status $again "$URL/v1/audit-events?kind=import")"
        """

    /// The guide's blocks of commands, one after the other.
    private static func commands() throws -> String {
        let text = try String(
            contentsOf: URL(filePath: TestDatabase.sqlFolder).deletingLastPathComponent()
                .appending(path: "deploy/guides/lost-keys.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "\n```\n")
        #expect(blocks.count % 2 == 1 && blocks.count > 14)
        return stride(from: 1, to: blocks.count, by: 2).map { blocks[$0] }
            .joined(separator: "\n")
    }

    @Test func `an administrator is made, or someone who is there becomes one`() async throws {
        try await withSchool { school in
            let organization = ["--organization", school.hillside.uuid.description, "--json"]
            func make(_ managedID: String, in words: [String]? = nil) async throws -> Homeroom.Run {
                try await school.homeroom.run(
                    ["administrator", "create", managedID] + (words ?? organization))
            }
            let made = try await make("new.person@hillside.example")
            #expect(made.status == 0, "\(made.complaints)")
            let password = try #require(made.json["temporaryPassword"]?.text)
            let signIn = try await school.post(
                "/v1/sign-in", as: nil,
                json: ["managedId": "new.person@hillside.example", "password": .text(password)])
            #expect(signIn.status == 200)
            let known = try school.sql(
                "select managed_id from school.person where person_id = \(school.id(.tom))")[0]
            let tom = try known.text("managed_id")
            let given = try await make(tom)
            #expect(given.json["administratorId"]?.text == school.id(.tom).uuid.description)
            #expect(given.json["temporaryPassword"] == nil, "the password stays")
            let listed = try await school.homeroom.run(["administrator", "list"] + organization)
            let people = (listed.json.array ?? []).compactMap { $0["managedId"]?.text }
            #expect(people.contains(tom) && people.contains("new.person@hillside.example"))

            for (managedID, text) in [
                (tom, "is an administrator already"),
                ("new@foreign.example", "does not belong to the organization"),
                ("nobody", "MANAGED_ID should be"),
            ] {
                let run = try await make(managedID)
                #expect(run.status != 0)
                #expect(run.complaints.contains(text), "\(run.complaints)")
            }
            let elsewhere = try await make(
                "new.person@hillside.example",
                in: ["--organization", school.biology.uuid.description])
            #expect(elsewhere.complaints.contains("There is no organization"))
        }
    }

    @Test func `wrong use of the commands is refused by name`() async throws {
        try await withSchool { school in
            let id = school.biology.uuid.description
            for (words, status, text) in [
                (["import", "undo"], 64, "import undo takes IMPORT_ID."),
                (["import", "undo", "x"], 64, "IMPORT_ID should be an id"),
                (["import", "undo", id], 64, "--organization is needed"),
                (
                    ["import", "undo", id, "--organization", school.hillside.uuid.description], 1,
                    "The organization has no import \(id)."
                ),
                (["password", "expire", "--organization", id], 1, "There is no organization"),
                (
                    ["password", "expire", "--organization", id, "--within", "soon"], 64,
                    "--within should be"
                ),
            ] as [([String], Int32, String)] {
                let run = try await school.homeroom.run(words)
                #expect(run.status == status, "\(words)")
                #expect(run.complaints.contains(text), "\(run.complaints)")
            }
        }
    }
}
