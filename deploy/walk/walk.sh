#!/usr/bin/env bash
# A walk through a school, from its first person to the nightly export. On the way, everyone who must not see a
# student's progress tries to, and is refused. The expected output of a command follows it, after a number sign.
#
# Start deploy/quickstart first, then run this as the same user: `bash -v deploy/walk/walk.sh` prints each command
# before its result. URL says where the service is.
set -eu

export PATH="$(dirname "$0")/../../.build/release:$PATH" URL="${URL:-http://127.0.0.1:8080}"
work=$(mktemp -d)
field() { grep -o "\"$1\":\"[^\"]*" | head -n 1 | cut -d '"' -f 4; }
as() { local token=$1; shift; curl -sS -H "Authorization: Bearer $token" "$@"; }
status() { as "$@" -o /dev/null -w '%{http_code}\n'; }

# A school with its administrator.
homeroom organization create --name Riverside --domain riverside.example \
    --administrator ada@riverside.example --json > $work/school
school=$(field organizationId < $work/school)
location=$(field locationId < $work/school)
ada=$(field accessToken < $work/school)

# Two teachers, two students, two classes.
person() {
    as $ada $URL/v1/people --json "{\"givenName\": \"$1\", \"familyName\": \"Example\",
        \"roles\": [{\"role\": \"$2\", \"locationId\": \"$location\"}]}" | field id
}
class() {
    as $ada $URL/v1/classes --json "{\"name\": \"$1\", \"locationId\": \"$location\",
        \"teacherIds\": [\"$2\"], \"studentIds\": [\"$3\"]}" | field id
}
tom=$(person Tom teacher)
tess=$(person Tess teacher)
sam=$(person Sam student)
ben=$(person Ben student)
biology=$(class Biology $tom $sam)
chemistry=$(class Chemistry $tess $ben)

# Student progress is off until the school turns it on.
status $ada $URL/v1/organization -X PATCH --json '{"studentProgress": {"enabled": true}}'  # 200

# The developer of an app is registered, and publishes a quiz.
homeroom developer-key create --out $work/quizzler.p8 --json > $work/key
status $ada $URL/v1/developer-teams --json "{\"teamId\": \"QUIZTEAM01\", \"name\": \"Quizzler Inc.\",
    \"bundleIds\": [\"org.example.quizzler\"],
    \"keys\": [{\"keyId\": \"$(field keyId < $work/key)\",
                \"publicKey\": \"$(field publicKey < $work/key)\"}]}"  # 201
developer=$(homeroom developer-token --team QUIZTEAM01 --key-id $(field keyId < $work/key) \
    --key $work/quizzler.p8)
status $developer "$URL/v1/contexts?environment=production" --json '{"contexts": [
    {"data": {"identifierPath": ["org.example.quizzler"], "title": "Quizzler", "type": "app"},
     "metadata": {"locale": "en-US"}},
    {"data": {"identifierPath": ["org.example.quizzler", "cells"], "title": "Cells", "type": "quiz"},
     "metadata": {"locale": "en-US"}}]}'  # 201

# The school buys one seat of the app: Sam gets it, and there is none left for Ben.
app=$URL/v1/apps/990011223
status $ada $app -X PUT --json \
    '{"name": "Quizzler", "productType": "App", "bundleId": "org.example.quizzler"}'  # 201
status $ada $app/pools/$location -X PUT --json '{"totalCount": 1}'  # 201
status $ada $app/licences --json "{\"personIds\": [\"$sam\"]}"  # 201
status $ada $app/licences --json "{\"personIds\": [\"$ben\"]}"  # 409

# Tom gives the quiz to Biology.
token() { homeroom token create --organization $school "$@" --json | field accessToken; }
tom_signed_in=$(token --role teacher --person $tom)
handout=$(as $tom_signed_in $URL/v1/handouts --json "{\"classId\": \"$biology\", \"title\": \"Cells\",
    \"publishAt\": \"$(date -u +%FT%TZ)\", \"tasks\": [{\"kind\": \"appActivity\",
        \"bundleId\": \"org.example.quizzler\", \"identifierPath\": [\"cells\"]}]}" | field id)

# Sam takes it, and the app on his device reports it.
sams_app=$(token --role student --person $sam --bundle org.example.quizzler)
began=$(date -u -d '4 minutes ago' +%FT%TZ)
now=$(date -u +%FT%TZ)
status $sams_app $URL/v1/activities --json "{\"activities\": [{
    \"id\": \"$(cat /proc/sys/kernel/random/uuid)\", \"identifierPath\": [\"cells\"],
    \"startedAt\": \"$began\", \"modifiedAt\": \"$now\", \"durationSeconds\": 240,
    \"progressRanges\": [[0, 0.75]], \"primaryItem\": {\"kind\": \"score\", \"identifier\": \"total\",
        \"title\": \"Score\", \"score\": 8, \"maxScore\": 10}}]}"  # 202

# A report from an app is answered at once and stored within a second.
sleep 1

# Tom sees it, also as a table. No one else does: not Tess, who teaches another class, not the administrator, who
# gets the reason, and no student.
as $tom_signed_in $URL/v1/handouts/$handout/report | grep -o '"progress":0.75' | uniq  # "progress":0.75
as $tom_signed_in $URL/v1/handouts/$handout/report -H 'Accept: text/csv' > $work/report.csv
report=$URL/v1/handouts/$handout/report
status $tom_signed_in $report  # 200
status $(token --role teacher --person $tess) $report  # 404
status $ada $report  # 403
as $ada $report | field detail  # This call is for: teacher. This token acts as: administrator. Progress is seen by teachers only, and only through what was assigned in their classes.
status $(token --role student --person $sam) $report  # 403

# Sam reads the handout; Ben, who sits in another class, does not.
status $(token --role student --person $sam) $URL/v1/handouts/$handout  # 200
status $(token --role student --person $ben) $URL/v1/handouts/$handout  # 404

# Rosa, a teacher of the demonstration school, finds nothing here.
rosa=$(curl -sS $URL/v1/sign-in --json \
    '{"managedId": "rosa.delgado@harbour.example", "password": "silver-willow-1"}' | field accessToken)
status $rosa "$URL/v1/handouts?limit=1"  # 200
status $rosa $report  # 404

# The nightly export has the row.
homeroom export --out $work/nightly --organization $school > $work/exported
zcat $work/nightly/$school/*/activity_reports.csv.gz | grep -c $sam  # 1
