import Postgres
import TestKit
import Testing

/// Something that the owner of the tables could do without the service noticing, after thirty events, sealed in batches
/// of ten, and one that waits for its seal.
struct Tampering: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The subject of the edited event.
    var subject = "15"
    let edits: [Statement]
    /// What verification reports, with the number of the seal.
    let findings: Set<String>
    var namesTheEvent = true

    static let all: [Tampering] = events + seals

    private static let events: [Tampering] = [
        Tampering(
            testDescription: "details are changed",
            edits: ["update school.audit_event set details = '{}' where subject_id = '15'"],
            findings: ["eventChanged 2"]),
        Tampering(
            testDescription: "somebody else becomes the actor",
            edits: [
                "update school.audit_event set person_id = gen_random_uuid() where subject_id = '15'"
            ], findings: ["eventChanged 2"]),
        Tampering(
            testDescription: "the moment is changed, into another partition",
            edits: [
                """
                update school.audit_event set arrived_at = arrived_at + interval '1 month'
                 where subject_id = '15'
                """
            ], findings: ["eventChanged 2"]),
        Tampering(
            testDescription: "another address is substituted",
            edits: ["update school.audit_event set address = '10.0.0.1' where subject_id = '15'"],
            findings: ["eventChanged 2"]),
        Tampering(
            testDescription: "the address is removed, although nobody was erased",
            edits: [
                """
                update school.audit_event set address = null, address_salt = null where subject_id = '15'
                """
            ], findings: ["eventChanged 2"]),
        Tampering(
            testDescription: "the address is removed, and somebody else was erased",
            edits: [
                """
                select school.write_audit_event(
                    \(TestIDs.hillside), 'erasure', 'administrator', null, null, null, 'person',
                    gen_random_uuid()::text, '{}')
                """,
                """
                update school.audit_event set address = null, address_salt = null where subject_id = '15'
                """,
            ], findings: ["eventChanged 2"]),
        Tampering(
            testDescription: "an event is removed",
            edits: ["delete from school.audit_event where subject_id = '15'"],
            findings: ["eventRemoved 2"]),
        Tampering(
            testDescription: "an event is removed before it is sealed", subject: "waiting",
            edits: ["delete from school.audit_event where subject_id = 'waiting'"],
            findings: ["eventRemoved"]),
        Tampering(
            testDescription: "an event is inserted", subject: "new",
            edits: [
                insert,
                "insert into public.marked select event_id from school.audit_event where subject_id = 'new'",
            ],
            findings: ["eventInserted"]),
        Tampering(
            testDescription: "an event is inserted, backdated and sealed", subject: "new",
            edits: [
                insert,
                """
                update school.audit_event set arrived_at = arrived_at - interval '25 hours'
                 where subject_id = 'new'
                """,
                "insert into public.marked select event_id from school.audit_event where subject_id = 'new'",
                """
                insert into school.audit_unsealed
                select organization_id, arrived_at, event_id from school.audit_event
                 where subject_id = 'new'
                """,
                "select school.seal_audit_events(\(TestIDs.hillside))",
            ], findings: ["eventInserted 4"]),
    ]

    private static let insert: Statement = """
        insert into school.audit_event (organization_id, event_id, kind, standing, subject_id)
        values (\(TestIDs.hillside), gen_random_uuid(), 'denial', 'teacher', 'new')
        """

    private static let seals: [Tampering] = [
        Tampering(
            testDescription: "an event and its mention in the seal are changed",
            edits: [
                "update school.audit_event as e set details = '{}' where subject_id = '15'",
                """
                update school.audit_seal as s
                   set event_digests = array(
                       select school.audit_event_digest(e) from unnest(s.event_ids) with ordinality as i (id, n)
                         join school.audit_event as e on e.event_id = i.id order by i.n)
                 where number = 2
                """,
            ], findings: ["sealChanged 2"], namesTheEvent: false),
        Tampering(
            testDescription: "the seal is recomputed, too",
            edits: [
                "update school.audit_seal set sealed_at = sealed_at - interval '1 hour' where number = 2",
                "update school.audit_seal as s set digest = school.audit_seal_digest(s) where number = 2",
            ], findings: ["sealForeign 3"], namesTheEvent: false),
        Tampering(
            testDescription: "a seal is removed",
            edits: ["delete from school.audit_seal where number = 1"],
            findings: ["sealMissing 1", "eventInserted"], namesTheEvent: false),
        Tampering(
            testDescription: "the last seal is removed",
            edits: ["delete from school.audit_seal where number = 3"],
            findings: ["eventInserted"], namesTheEvent: false),
        Tampering(
            testDescription: "a seal gets another number",
            edits: ["update school.audit_seal set number = 4 where number = 3"],
            findings: ["sealMissing 3", "sealChanged 4"], namesTheEvent: false),
    ]
}
