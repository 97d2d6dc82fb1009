import Postgres
import School
import TestKit
import Testing
import Values

/// Something that is wrong with Hillside, and how it is found.
struct Flaw: CustomTestStringConvertible, Sendable {
    let code: String
    let severity: String
    var subject: UUID?
    let changes: [Statement]

    var testDescription: String { code }

    static let all: [Flaw] = directory + people + records + [licences]

    private static let directory: [Flaw] = [
        Flaw(
            code: "class_without_teacher", severity: "error", subject: TestIDs.chemistry.uuid,
            changes: [
                "update school.seat set left_at = now() where class_id = \(TestIDs.chemistry) and role = 'teacher'"
            ]),
        Flaw(
            code: "class_too_large", severity: "warning", subject: TestIDs.biology.uuid,
            changes: [
                """
                update school.organization set class_students_max = 1
                 where organization_id = \(TestIDs.hillside)
                """
            ]),
        Flaw(
            code: "class_after_its_term", severity: "warning", subject: TestIDs.biology.uuid,
            changes: [
                """
                insert into school.term (organization_id, term_id, name, kind, starts_on, ends_on)
                values (\(TestIDs.hillside), \(TestIDs.biology.uuid), '2020', 'schoolYear', '2020-01-01', '2020-07-01')
                """,
                "update school.class set term_id = class_id where class_id = \(TestIDs.biology)",
            ]),
        Flaw(
            code: "progress_off", severity: "info", subject: TestIDs.hillside.uuid,
            changes: [
                """
                update school.organization set is_student_progress_enabled = false
                 where organization_id = \(TestIDs.hillside)
                """
            ]),
    ]

    private static let people: [Flaw] = [
        Flaw(
            code: "no_administrator", severity: "error", subject: TestIDs.hillside.uuid,
            changes: [
                """
                update school.credential set expires_at = now() - interval '1 day'
                 where person_id = \(Persona.ada.personID)
                """
            ]),
        Flaw(
            code: "person_cannot_sign_in", severity: "error", subject: Persona.sam.personID.uuid,
            changes: ["delete from school.credential where person_id = \(Persona.sam.personID)"]),
        Flaw(
            code: "teacher_never_signed_in", severity: "warning",
            subject: Persona.tess.personID.uuid, changes: [never(.tess)]),
        Flaw(
            code: "student_never_signed_in", severity: "warning",
            subject: Persona.sam.personID.uuid, changes: [never(.sam)]),
        Flaw(
            code: "seat_without_role", severity: "warning", subject: Persona.cora.personID.uuid,
            changes: [
                "update school.person_role set role = 'staff' where person_id = \(Persona.cora.personID)"
            ]),
        Flaw(
            code: "seat_of_deactivated", severity: "warning", subject: Persona.cora.personID.uuid,
            changes: [
                "update school.person set deactivated_at = now() where person_id = \(Persona.cora.personID)"
            ]),
        Flaw(
            code: "unusual_teacher", severity: "warning", subject: Persona.cora.personID.uuid,
            changes: [
                """
                update school.seat set seated_by = person_id, recorded_at = now()
                 where person_id = \(Persona.cora.personID)
                """
            ]),
        Flaw(
            code: "unusual_teacher", severity: "warning", subject: Persona.tess.personID.uuid,
            changes: [
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
                values (\(TestIDs.hillside), \(TestIDs.biology), \(Persona.tess.personID), 'teacher',
                        now() - interval '2 days', now() - interval '25 hours')
                """
            ]),
        Flaw(
            code: "seats_overlap", severity: "error", subject: Persona.sam.personID.uuid,
            changes: [
                """
                insert into school.seat (organization_id, class_id, person_id, role, joined_at, left_at)
                values (\(TestIDs.hillside), \(TestIDs.biology), \(Persona.sam.personID), 'student',
                        now() - interval '10 days', now() - interval '5 days')
                """
            ]),
        Flaw(
            code: "person_without_role", severity: "warning", subject: Persona.mara.personID.uuid,
            changes: ["delete from school.person_role where person_id = \(Persona.mara.personID)"]),
        Flaw(
            code: "student_without_class", severity: "info", subject: Persona.sam.personID.uuid,
            changes: [
                "update school.seat set left_at = now() where person_id = \(Persona.sam.personID)"
            ]),
        Flaw(
            code: "progress_paused", severity: "info", subject: Persona.sam.personID.uuid,
            changes: [
                "update school.person set is_progress_paused = true where person_id = \(Persona.sam.personID)"
            ]),
        Flaw(
            code: "managed_id_of_nobody", severity: "warning", subject: Persona.sam.personID.uuid,
            changes: [
                """
                insert into school.managed_id_directory (managed_id, organization_id, person_id)
                values ('old@hillside.example', \(TestIDs.hillside), \(Persona.sam.personID))
                """
            ]),
    ]

    static let app: Statement = """
        insert into school.app (organization_id, adam_id, bundle_id, name, product_type, is_device_assignable,
                                is_revocable)
        values (\(TestIDs.hillside), '1', \(TestIDs.quizzler), 'Quizzler', 'App', true, true)
        """
    static let pool: Statement = """
        insert into school.pool (organization_id, adam_id, location_id, total_count)
        values (\(TestIDs.hillside), '1', \(TestIDs.mainLocation), 10)
        """

    /// Sam is given a task of Quizzler and has no licence.
    private static let licences = Flaw(
        code: "student_without_licence", severity: "warning", subject: Persona.sam.personID.uuid,
        changes: [
            app,
            """
            insert into school.handout (organization_id, handout_id, class_id, author_id, title, recipients,
                                        publish_at)
            values (\(TestIDs.hillside), \(TestIDs.biology.uuid), \(TestIDs.biology), \(Persona.tom.personID),
                    'Cells', 'class', now() + interval '1 day')
            """,
            pool,
            """
            insert into school.licence (organization_id, licence_id, adam_id, location_id, person_id)
            values (\(TestIDs.hillside), gen_random_uuid(), '1', \(TestIDs.mainLocation), \(Persona.sue.personID))
            """,
            """
            insert into school.task (organization_id, task_id, handout_id, class_id, position, kind, title,
                                     bundle_id, identifier_path)
            values (\(TestIDs.hillside), gen_random_uuid(), \(TestIDs.biology.uuid), \(TestIDs.biology), 1,
                    'appActivity', 'Cells', \(TestIDs.quizzler), '{cells}')
            """,
        ])

    private static let records: [Flaw] = [
        Flaw(
            code: "import_waiting", severity: "warning",
            changes: [order("awaitingApproval", "null")]),
        Flaw(
            code: "import_failed", severity: "warning",
            changes: [
                order("succeeded", "now() - interval '1 day'"), order("failed", "now()"),
            ]),
        Flaw(
            code: "export_overdue", severity: "warning", subject: TestIDs.hillside.uuid,
            changes: [
                """
                insert into school.export_snapshot (organization_id, exported_on, taken_at, snapshot, system_id,
                                                    is_full)
                values (\(TestIDs.hillside), '2026-01-01', now() - interval '2 days', pg_current_snapshot(), 1,
                        true)
                """
            ]),
    ]

    private static func never(_ persona: Persona) -> Statement {
        "update school.person set first_sign_in_at = null where person_id = \(persona.personID)"
    }

    private static func order(_ status: String, _ finished: Statement) -> Statement {
        """
        insert into school.import (organization_id, import_id, mode, status, standing, archive_bytes, finished_at)
        values (\(TestIDs.hillside), gen_random_uuid(), 'apply', \(status), 'administrator', 1,
                \(fragment: finished))
        """
    }
}
