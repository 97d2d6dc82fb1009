import API
import JSONBytes
import Postgres
import School
import Values

/// What a rollover from one term to the next should do, checked against the terms.
package struct Rollover: Sendable {
    /// Which classes of the term begin the next one as copies.
    package enum Copies: String, CaseIterable, Sendable {
        case none
        case empty
        case withTeachers
        /// With teachers and students.
        case withStudents
    }

    /// What happens to the students of a grade.
    package struct Step: Sendable, Equatable {
        package let from: String
        /// `nil`: they leave the school.
        package let to: String?

        package init(from: String, to: String?) {
            self.from = from
            self.to = to
        }
    }

    /// What is asked for, before the terms are looked up.
    package struct Wish: Sendable {
        package let next: Reference<TermEntity>?
        package let steps: [Step]
        package let copies: Copies

        /// Throws if a grade is named twice, or if classes are to be copied and no next term is given.
        package init(next: Reference<TermEntity>?, steps: [Step], copies: Copies) throws {
            var known: Set<String> = []
            for (index, step) in steps.enumerated() where !known.insert(step.from).inserted {
                throw Problem.invalid(
                    "/grades/\(index)/from", "duplicate_grade",
                    "The grade \(step.from) is named more than once.")
            }
            if copies != .none, next == nil {
                throw Problem.invalid(
                    "/nextTermId", "missing_term", "Name the term into which classes are copied.")
            }
            self.next = next
            self.steps = steps
            self.copies = copies
        }
    }

    let term: TermID
    let next: TermID?
    let steps: [Step]
    let copies: Copies

    /// - Parameter found: the rows of `rolloverTerms` for the term and the next one; the first is the term's.
    private init(_ wish: Wish, term: Row, next: Row?) throws {
        guard try term.optionalTimestamp("closed_at") == nil else { throw Problem.termClosed }
        if let next {
            guard try next.optionalTimestamp("closed_at") == nil else { throw Problem.termClosed }
            guard try next.day("starts_on") > term.day("starts_on"), try !next.bool("is_part")
            else {
                throw Problem.invalid(
                    "/nextTermId", "not_later",
                    "The next term begins after the one that ends, and is not a part of it.")
            }
        }
        self.term = TermID(try term.uuid("id"))
        self.next = try next.map { TermID(try $0.uuid("id")) }
        steps = wish.steps
        copies = wish.copies
    }

    /// Looks up the terms and holds them until the transaction ends.
    ///
    /// - Parameter query: runs a statement as an administrator of the organization.
    package init(
        _ wish: Wish, from reference: Reference<TermEntity>, of organization: OrganizationID,
        query: (Statement) async throws -> Rows
    ) async throws {
        let terms = try await query(.holdTerm(reference, notPartOf: nil, of: organization))
        guard let term = terms.first else { throw Problem.notFound }
        var next: Row?
        if let reference = wish.next {
            let ending = TermID(try term.uuid("id"))
            let found = try await query(
                .holdTerm(reference, notPartOf: ending, of: organization))
            guard let row = found.first else { throw Problem.unknownReference("/nextTermId") }
            next = row
        }
        try self.init(wish, term: term, next: next)
    }
}

extension Statement {
    /// A rollover touches many rows, and no one waits behind its transaction.
    package static var takeTimeForRollover: Statement { "set local statement_timeout = '5min'" }

    fileprivate static func holdTerm(
        _ reference: Reference<TermEntity>, notPartOf whole: TermID?,
        of organization: OrganizationID
    ) -> Statement {
        """
        select t.term_id as "id", t.starts_on, t.closed_at,
               t.term_id = any (school.rollover_terms(\(whole))) as is_part
          from school.term as t
         where t.organization_id = \(organization)
           and (t.term_id = \(reference.id) or t.source_id = \(reference.source))
           for update
        """
    }

    /// What the rollover would do: its revision, counts, and a page of its changes.
    ///
    /// - Parameters:
    ///   - position: how many changes the pages before had.
    ///   - token: leads to the page after this one.
    package static func preview(
        _ rollover: Rollover, after position: Int, limit: Int, token: String
    ) -> Statement {
        """
        with plan as materialized (
            select p.*, row_number() over (order by p.kind, coalesce(p.name, p.family_name) collate "und-x-icu",
                                                p.given_name collate "und-x-icu", p.id) as nth
              from school.plan_rollover(\(rollover.term), \(rollover.next), \(rollover.grades),
                                        \(rollover.copies.rawValue)) as p)
        select (select school.rollover_revision(\(rollover.term), \(rollover.next), \(rollover.copies.rawValue),
                                                array_agg(p.line))
                  from plan as p) as revision,
               (select json_build_object(
                           'classesArchived', count(*) filter (where p.kind = 'archiveClass'),
                           'classesCopied', count(*) filter (where p.kind = 'copyClass'),
                           'seatsCopied', coalesce(sum(cardinality(p.teacher_ids) + cardinality(p.student_ids)), 0),
                           'studentsMovedUp', count(*) filter (where p.kind = 'moveUp'),
                           'studentsLeaving', count(*) filter (where p.kind = 'leave'))
                  from plan as p) as counts,
               (select coalesce(json_agg(json_build_object(
                           'change', p.kind, 'id', p.id, 'name', p.name,
                           'givenName', p.given_name, 'familyName', p.family_name, 'nameOrder', p.name_order,
                           'fromGrade', p.from_grade, 'toGrade', p.to_grade,
                           'teachers', case when p.kind = 'copyClass' then cardinality(p.teacher_ids) end,
                           'students', case when p.kind = 'copyClass' then cardinality(p.student_ids) end)
                           order by p.nth), '[]')
                  from plan as p where p.nth > \(Int32(position)) and p.nth <= \(Int32(position + limit))) as items,
               case when (select count(*) from plan) > \(Int32(position + limit)) then \(token)::text end
                   as next_page_token
        """
    }

    /// Carries the rollover out. Returns no row if the plan has changed since the revision.
    package static func rollOver(_ rollover: Rollover, revision: String) -> Statement {
        """
        select classes_archived, classes_copied, seats_copied, students_moved_up, students_leaving
          from school.roll_over(\(rollover.term), \(rollover.next), \(rollover.grades),
                                \(rollover.copies.rawValue), \(revision))
        """
    }
}

extension Rollover {
    /// The steps as `plan_rollover` reads them.
    fileprivate var grades: JSONDocument {
        let steps = steps.map { step -> JSONValue in
            ["from": .text(step.from), "to": step.to.map(JSONValue.text) ?? .null]
        }
        return JSONDocument(JSONValue.array(steps).bytes)
    }
}

extension Problem {
    package static let rolloverChanged = Problem(
        409, "rollover_changed", "The plan is not the one that you saw.",
        detail:
            "Classes, students or their grades changed since the preview. Read the preview again.")
}
