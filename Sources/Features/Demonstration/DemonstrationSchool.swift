import Values

/// The directory of the demonstration school, made up by a seeded generator and the same every time.
package struct DemonstrationSchool: Sendable {
    struct Location: Sendable {
        let id: String
        let name: String
    }

    struct Person: Sendable {
        let id: String
        let givenName: String
        let familyName: String
        /// For students only.
        let grade: Int?
        let locationID: String
    }

    struct Course: Sendable {
        let id: String
        let number: String
        let name: String
        let subject: Subject
        let locationID: String
    }

    struct TaughtClass: Sendable {
        let id: String
        let number: String
        let course: Course
        let teachers: [Person]
        let students: [Person]
    }

    enum Subject: String, CaseIterable, Sendable {
        case mathematics = "Mathematics"
        case science = "Science"
        case computing = "Computing"
    }

    let locations: [Location]
    private(set) var students: [Person] = []
    private(set) var staff: [Person] = []
    private(set) var courses: [Course] = []
    private(set) var classes: [TaughtClass] = []

    /// The class whose teacher and student are printed as the first ones to look at.
    package static let showcaseClassID = "7A-science"
    static let teacherID = "T-002"
    static let studentID = "S-0001"

    package var peopleCount: Int { students.count + staff.count }
    package var classCount: Int { classes.count }

    package init() {
        var random = SplitMix64(seed: 2014)
        var people = PeopleMaker()
        let lower = Location(id: "lower", name: "Harbour Lower School")
        let upper = Location(id: "upper", name: "Harbour Upper School")
        locations = [lower, upper]
        addGrades(7...10, at: upper, &people, &random)
        addGrades(3...6, at: lower, &people, &random)
    }

    /// Adds the grades of a school: three groups each, and in every group a class for each subject.
    private mutating func addGrades(
        _ grades: ClosedRange<Int>, at location: Location, _ people: inout PeopleMaker,
        _ random: inout SplitMix64
    ) {
        let teachers = (0..<20).map { _ in newTeacher(at: location, &people, &random) }
        var turn = 0
        for grade in grades {
            let ofGrade = Subject.allCases.map { subject in
                Course(
                    id: "\(grade)-\(subject.rawValue.lowercased())",
                    number: "\(subject.rawValue.prefix(2).uppercased())\(grade)",
                    name: "\(subject.rawValue) \(grade)", subject: subject, locationID: location.id)
            }
            courses += ofGrade
            for letter in ["A", "B", "C"] {
                let group = (0..<random.number(22...25)).map { _ in
                    newStudent(grade, at: location, &people, &random)
                }
                for course in ofGrade {
                    // Every fifth class has two teachers.
                    let count = turn % 5 == 4 ? 2 : 1
                    classes.append(
                        TaughtClass(
                            id: "\(grade)\(letter)-\(course.subject.rawValue.lowercased())",
                            number: "\(grade)\(letter)", course: course,
                            teachers: (0..<count).map { teachers[(turn + $0) % teachers.count] },
                            students: group))
                    turn += 1
                }
            }
        }
    }

    private mutating func newTeacher(
        at location: Location, _ people: inout PeopleMaker, _ random: inout SplitMix64
    ) -> Person {
        let number = staff.count + 1
        let id = "T-" + padded(number, 3)
        // The second teacher teaches science in 7A.
        let name = number == 2 ? (given: "Rosa", family: "Delgado") : people.name(&random)
        let teacher = Person(
            id: id, givenName: name.given, familyName: name.family, grade: nil,
            locationID: location.id)
        staff.append(teacher)
        return teacher
    }

    private mutating func newStudent(
        _ grade: Int, at location: Location, _ people: inout PeopleMaker,
        _ random: inout SplitMix64
    ) -> Person {
        let number = students.count + 1
        let name = number == 1 ? (given: "Mira", family: "Castell") : people.name(&random)
        let student = Person(
            id: "S-" + padded(number, 4), givenName: name.given, familyName: name.family,
            grade: grade, locationID: location.id)
        students.append(student)
        return student
    }
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
