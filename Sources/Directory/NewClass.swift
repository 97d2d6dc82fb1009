import School
import Values

/// A class as it is sent.
struct NewClass {
    let name: String
    let sourceID: String?
    let number: String?
    let displayName: String?
    let room: String?
    let location: Referring<LocationEntity>
    let course: Referring<CourseEntity>?
    let term: Referring<TermEntity>?
    /// `nil`: a `PUT` keeps them.
    let teachers: Referring<PersonEntity>?
    let students: Referring<PersonEntity>?

    init(_ sent: Sent) throws {
        let body = sent.body
        name = body.text("name")!
        sourceID = try sent.sourceID()
        number = body.text("number")
        displayName = body.text("displayName")
        room = body.text("room")
        location = Referring([body.text("locationId")!], pointers: ["/locationId"])
        course = body.text("courseId").map { Referring([$0], pointers: ["/courseId"]) }
        term = body.text("termId").map { Referring([$0], pointers: ["/termId"]) }
        teachers = body.texts("teacherIds").map { Referring($0, at: "/teacherIds") }
        students = body.texts("studentIds").map { Referring($0, at: "/studentIds") }
    }
}

/// Which classes a list holds.
struct ClassFilter {
    let location: Reference<LocationEntity>?
    let course: Reference<CourseEntity>?
    /// Also of its parts.
    let term: Reference<TermEntity>?
    /// Whoever sits in it or teaches it.
    let person: Reference<PersonEntity>?
    let teacher: Reference<PersonEntity>?
    let student: Reference<PersonEntity>?
    let status: String?
    let name: String?
    let sourceID: String?
    let updatedSince: Timestamp?

    init(_ request: Request) {
        location = request.queryReference("locationId")
        course = request.queryReference("courseId")
        term = request.queryReference("termId")
        person = request.queryReference("personId")
        teacher = request.queryReference("teacherId")
        student = request.queryReference("studentId")
        status = request.query("status")
        name = request.query("q")
        sourceID = request.query("sourceId")
        updatedSince = request.queryTimestamp("updatedSince")
    }
}
