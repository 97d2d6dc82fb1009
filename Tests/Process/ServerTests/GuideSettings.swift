/// What a guide needs to be run as it is printed: names that it leaves to the reader, and a school in which its commands
/// mean something.
struct GuideSetting {
    /// Before the first block.
    var before = ""
    /// Before some of the blocks, by their number from 1 among those that are run.
    var between: [Int: String] = [:]
    /// What stands for what in the text.
    var names: [(String, String)] = []
    /// What the whole must have led to.
    var after = ""

    /// Makes a token of the administrator, and functions for the settings below.
    static let start = #"""
        field() { command grep -o "\"$1\":\"[^\"]*" | head -n 1 | cut -d '"' -f 4; }
        ID=$(homeroom organization list --json | field organizationId)
        ada=$(homeroom administrator list --organization $ID | awk 'NR == 1 { print $1 }')
        TOKEN=$(homeroom token create --organization $ID --role administrator --person $ada --json | field accessToken)
        ask() { curl -sSf -H "Authorization: Bearer $TOKEN" "$@"; }

        """#

    static let all: [String: GuideSetting] = [
        "backups": GuideSetting(
            after: #"""
                homeroom organization list | command grep Oak
                [ "$(homeroom doctor | grep -c backup)" = 0 ]

                """#),
        "install": GuideSetting(after: "homeroom organization list | command grep Oak\n"),
        "schools": schools,
        "apple": GuideSetting(names: [("--organization ID", "--organization $ID")]),
        "scim": GuideSetting(names: [("--organization ID", "--organization $ID")]),
        "roster-source": GuideSetting(
            after: "ask $URL/v1/roster-source | command grep sis.example\n"),
        "school-year": schoolYear, "end-of-data": endOfData,
        "runbooks/HomeroomCertificateExpires": GuideSetting(
            before: #"""
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=x \
                    -keyout key.pem -out certificate.pem 2>/dev/null
                environment=$PWD/environment
                echo "HOMEROOM_TLS_CERTIFICATE=$PWD/certificate.pem" >"$environment"

                """#),
        "runbooks/HomeroomReplicaUnused": GuideSetting(
            before: "export PGPASSFILE=/var/lib/homeroom/superuser.pgpass\n",
            names: [
                (
                    "the URL in HOMEROOM_REPLICA_URL",
                    "host=/var/lib/homeroom/run user=homeroom dbname=homeroom"
                )
            ]),
    ]

    private static let schools = GuideSetting(
        before: #"""
            mkdir roster
            printf 'location_id,location_name\nL1,North School\n' >roster/locations.csv
            printf 'person_id,person_number,first_name,middle_name,last_name,email_address,sis_username,location_id\n' \
                >roster/staff.csv
            printf '4711,,Tom,,Example,,,L1\n' >>roster/staff.csv
            (cd roster && python3 -c 'import shutil; shutil.make_archive("../roster", "zip", ".")')
            openssl ecparam -name prime256v1 -genkey -noout | openssl pkey -pubout -out key1.pem
            oak=$ID

            """#,
        between: [
            3: "mv roster.zip imported.zip\n",
            5: #"""
            homeroom token create --organization $oak --role provisioner
            TOKEN_ID=$(homeroom token list --organization $oak --json | field tokenId)

            """#,
        ],
        names: [
            ("--organization ID", "--organization $oak"), ("revoke TOKEN_ID", "revoke $TOKEN_ID"),
            ("import roster.zip", "import roster.zip --organization $oak"),
            ("oneroster --out", "oneroster --organization $oak --out"),
        ],
        after: #"""
            [ -s roster.zip ] && homeroom organization list | command grep -F 'Hillside (hillside.example)'

            """#)

    private static let schoolYear = GuideSetting(
        before: #"""
            for year in 26 27; do
                ask $URL/v1/terms -o /dev/null --json "{\"name\": \"y$year\", \"sourceId\": \"y$year\",
                    \"kind\": \"schoolYear\", \"startsOn\": \"20$year-08-01\", \"endsOn\": \"20$((year + 1))-07-31\"}"
            done

            """#,
        between: [
            2: #"""
            revision=$(homeroom term rollover source:y26 --next source:y27 --copy withTeachers --grade 3=4 \
                --grade 4=5 --grade 10= --organization $ID --json | field revision)

            """#
        ],
        names: [
            ("rollover source", "rollover --organization $ID source"), ("5c0e…", "$revision"),
        ])

    private static let endOfData = GuideSetting(
        before: #"""
            ask $URL/v1/people -o /dev/null --json "{\"givenName\": \"Sam\", \"familyName\": \"Example\",
                \"sourceId\": \"4712\", \"roles\": [{\"role\": \"student\",
                \"locationId\": \"$(ask $URL/v1/locations | field id)\"}]}"
            runuser -u homeroom -- homeroom export --out /var/lib/homeroom/exports

            """#,
        // A school with a hold is not deleted.
        between: [
            5: #"""
            ask -X DELETE "$URL/v1/retention/holds/$(ask $URL/v1/retention/holds | field id)" -o /dev/null

            """#
        ],
        names: [
            ("source:4711", "source:4712"), ("--out FOLDER", "--out archive"), (" ID", " $ID"),
        ],
        after: "homeroom organization list | command grep Oak\n")
}
