import JSONBytes
import Values

/// What a class comes to in one handout.
struct TaughtHandout: Sendable {
    struct Task: Sendable {
        let title: String
        let students: Int
        let studentsDone: Int
        let studentsOverdue: Int
        let studentsWithData: Int
        let progress: Double?
        let seconds: Double?
        let average: ItemAverage

        init(_ task: JSONValue) {
            func count(_ member: String) -> Int { task[member]?.int64.map { Int($0) } ?? 0 }
            let average = task["classAverage"]
            title = task["title"]?.text ?? ""
            students = count("students")
            studentsDone = count("studentsDone")
            studentsOverdue = count("studentsOverdue")
            studentsWithData = average?["studentsWithData"]?.int64.map { Int($0) } ?? 0
            progress = average?["progress"]?.double
            seconds = average?["durationSeconds"]?.double
            self.average = ItemAverage(average)
        }
    }

    let id: String
    let title: String
    let publishAt: Timestamp?
    let dueAt: Timestamp?
    let tasks: [Task]

    init(_ handout: JSONValue) {
        id = handout["handoutId"]?.text ?? ""
        title = handout["title"]?.text ?? ""
        publishAt = handout.moment("publishAt")
        dueAt = handout.moment("dueAt")
        tasks = (handout["tasks"]?.array ?? []).map { Task($0) }
    }

    /// The mean of its tasks' average progress; `nil` without data.
    var meanProgress: Double? { mean(tasks.compactMap(\.progress)) }

    /// The mean of its tasks' average scores; `nil` without scores.
    var meanScore: Double? { mean(tasks.compactMap(\.average.score)) }

    private func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// A row for each task; the first has the handout's name.
    @HTMLBuilder
    func rows(_ visit: Visit) -> [HTML] {
        let texts = visit.texts
        for (index, task) in tasks.enumerated() {
            tr {
                if index == 0 { name(visit) }
                td(.dirAuto) { task.title }
                td(.class("wide")) {
                    doneMeter(done(task, texts), task.studentsDone, of: task.students)
                }
                td(.class("number")) { task.average.words([], texts) }
                td(.class("number")) { task.progress.map(texts.percent) ?? "" }
                td(.class("number")) { task.seconds.map(texts.duration) ?? "" }
            }
        }
    }

    private func name(_ visit: Visit) -> HTML {
        let due = dueAt.map {
            visit.texts($0 < visit.now ? ClassText.wasDue : .due, ["when": visit.moment($0)])
        }
        return th(
            .scope("rowgroup"), Attribute("rowspan", tasks.count > 1 ? "\(tasks.count)" : nil)
        ) {
            a(.href("/handouts/\(id)"), .dirAuto) { title }
            br()
            span(.class("small soft")) { due ?? visit.texts(ClassText.noDue) }
        }
    }

    private func done(_ task: Task, _ texts: Texts) -> String {
        texts(
            task.studentsOverdue > 0 ? ProgressText.doneOverdue : .done,
            [
                "n": texts.number(task.studentsDone), "all": texts.number(task.students),
                "overdue": texts.number(task.studentsOverdue),
            ])
    }
}

/// How many of all are done, in words and as a bar.
func doneMeter(_ words: String, _ done: Int, of all: Int) -> HTML {
    div(.class("meter")) {
        span(.class("number")) { words }
        if all > 0 { progressBar(Double(done) / Double(all)) }
    }
}
