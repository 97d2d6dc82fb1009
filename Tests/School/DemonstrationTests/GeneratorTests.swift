import Archive
import Foundation
import JSONBytes
import Testing
import Values

@testable import Demonstration

@Suite struct DemonstrationDirectory {
    private let school = DemonstrationSchool()

    @Test func `some six hundred people learn and teach in classes of two schools`() {
        #expect((550...700).contains(school.peopleCount))
        #expect(school.locations.count == 2)
        #expect(school.classes.allSatisfy { (20...30).contains($0.students.count) })
        #expect(school.classes.allSatisfy { !$0.teachers.isEmpty })
        #expect(school.classes.contains { $0.teachers.count == 2 })
        let taught = Set(school.classes.flatMap { $0.teachers.map(\.id) })
        #expect(taught == Set(school.staff.map(\.id)))
    }

    @Test func `no two people share a name or an id`() {
        let people = school.students + school.staff
        #expect(Set(people.map { "\($0.givenName) \($0.familyName)" }).count == people.count)
        #expect(Set(people.map(\.id)).count == people.count)
    }

    @Test func `names come in several scripts`() {
        let names = (school.students + school.staff).map(\.familyName)
        for script in ["Greek": 0x370...0x3FF, "Arabic": 0x600...0x6FF, "Chinese": 0x4E00...0x9FFF]
        {
            #expect(
                names.contains {
                    $0.unicodeScalars.contains { script.value.contains(Int($0.value)) }
                },
                "\(script.key)")
        }
    }

    @Test func `the printed teacher teaches the printed student`() throws {
        let taught = try #require(
            school.classes.first { $0.id == DemonstrationSchool.showcaseClassID })
        #expect(taught.teachers[0].id == DemonstrationSchool.teacherID)
        #expect(taught.students.contains { $0.id == DemonstrationSchool.studentID })
        #expect(Homework.groups.contains(taught.number))
    }

    @Test func `the archive is the same every time`() throws {
        let folder = FileManager.default.temporaryDirectory
        let paths = [1, 2].map {
            folder.appending(path: "demonstration-\($0)-\(getpid()).zip").path
        }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        for path in paths { try DemonstrationSchool().writeArchive(to: path) }
        let first = FileManager.default.contents(atPath: paths[0])
        #expect(first != nil)
        #expect(first == FileManager.default.contents(atPath: paths[1]))
    }

    @Test func `all homework uses contexts that the apps publish`() {
        for homework in DemonstrationSchool.Subject.allCases.flatMap(Homework.all) {
            for case .context(let app, let path) in homework.tasks {
                #expect(app.context(path) != nil)
                #expect(path != ["basic-arithmetic"], "it is for reading, and nobody assigns it")
            }
        }
        let quizzes = DemonstrationApp.coding.contexts.filter { $0.path.last == "quiz" }
        #expect(quizzes.count == 5)
        #expect(DemonstrationApp.coding.contexts.count { $0.type == "lesson" } == 7)
    }

    @Test func `homework covers every kind of task, and each task in an app has its context`() {
        var kinds: Set<String> = []
        for homework in DemonstrationSchool.Subject.allCases.flatMap(Homework.all) {
            for task in homework.tasks {
                switch task {
                case .context: kinds.insert("context")
                case .timedApp(_, let minutes):
                    kinds.insert("timedApp")
                    #expect((1...1440).contains(minutes))
                    #expect(task.target?.context.path == [])
                case .link:
                    kinds.insert("link")
                    #expect(task.target == nil)
                }
            }
        }
        #expect(kinds == ["context", "timedApp", "link"])
    }

    @Test func `the licences match what the homework needs`() {
        let purchases = DemonstrationPurchase.all
        #expect(Set(purchases.map(\.adamID)).count == purchases.count)
        #expect(purchases.contains { $0.bundleID == nil }, "a book is among them")
        for subject in DemonstrationSchool.Subject.allCases {
            for homework in Homework.all(in: subject) {
                for app in homework.tasks.compactMap(\.target?.app) {
                    #expect(
                        purchases.contains { $0.bundleID == app.bundleID && $0.subject == subject })
                }
            }
        }
    }

    @Test func `grades are of every kind, within their maximum, and the same every time`() throws {
        let today = try #require(Day("2026-11-24"))
        var statuses: Set<String> = []
        for taught in school.classes where taught.number == Filling.markedGroup {
            for student in taught.students {
                var marking = Marking(of: student, in: taught.course.subject)
                var again = marking
                for work in MarkedWork.all(in: taught.course.subject) where work.dueDaysAgo >= 0 {
                    let result = marking.result(of: work, lineItem: work.id, today: today)
                    #expect(result == again.result(of: work, lineItem: work.id, today: today))
                    statuses.insert(result["scoreStatus"]?.text ?? "")
                    let score = result["score"]?.double ?? 0
                    #expect((0...Double(work.scoreMax)).contains(score))
                    #expect(
                        (result["scoreDate"]?.text).flatMap { Day($0) }.map { $0 <= today } == true)
                }
            }
        }
        #expect(statuses == ["exempt", "fully graded", "not submitted"])
        let works = DemonstrationSchool.Subject.allCases.flatMap(MarkedWork.all)
        #expect(works.contains { $0.dueDaysAgo < 0 }, "one is not graded yet")
        let categories = MarkedWork.categories.map(\.id)
        #expect(Set(works.map(\.category)) == Set(categories))
    }
}
