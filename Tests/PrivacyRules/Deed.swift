/// In which capacity a person has a seat in a class.
package enum Role: String, Sendable, Hashable {
    case teacher
    case student
}

/// Whom a handout is given to.
package enum Recipients: Sendable, Hashable {
    case wholeClass
    case chosen(Set<PersonName>)

    package func include(_ student: PersonName) -> Bool {
        switch self {
        case .wholeClass: true
        case .chosen(let students): students.contains(student)
        }
    }
}

/// One thing to do in a handout.
package struct Task: Sendable, Hashable {
    package let name: TaskName
    package let context: Context
    /// Whose context it is, if an app saved it in a person's name.
    package var owner: PersonName?

    package init(name: TaskName, context: Context, owner: PersonName? = nil) {
        self.name = name
        self.context = context
        self.owner = owner
    }

    /// The assigned context, which an app saved for a person.
    package var own: OwnContext? { owner.map { OwnContext(owner: $0, context: context) } }
}

/// A context that an app saved in the name of a person.
package struct OwnContext: Sendable, Hashable {
    package let owner: PersonName
    package let context: Context

    package init(owner: PersonName, context: Context) {
        self.owner = owner
        self.context = context
    }
}

/// The homework that a teacher gives.
package struct Handout: Sendable {
    package let name: HandoutName
    package let classroom: ClassName
    package let author: PersonName
    package let world: World
    package var recipients: Recipients
    /// `nil` for a draft; later than now for a scheduled one.
    package var publication: Moment?
    package var tasks: [Task]

    package init(
        name: HandoutName, classroom: ClassName, author: PersonName, world: World,
        recipients: Recipients, publication: Moment?, tasks: [Task]
    ) {
        self.name = name
        self.classroom = classroom
        self.author = author
        self.world = world
        self.recipients = recipients
        self.publication = publication
        self.tasks = tasks
    }
}

extension Handout {
    /// The same tasks for another class, under names of their own; recipients and times are not copied.
    package func copied(
        as name: HandoutName, to classroom: ClassName, by author: PersonName
    ) -> Handout {
        Handout(
            name: name, classroom: classroom, author: author, world: world,
            recipients: .wholeClass, publication: nil,
            tasks: tasks.enumerated().map {
                Task(
                    name: TaskName("\(name).\($0 + 1)"), context: $1.context, owner: $1.owner)
            })
    }
}

/// What an app reports of an attempt at one time. An attempt may be reported in several parts.
package struct Part: Sendable, Hashable {
    package let activity: ActivityName
    package let context: Context
    package let start: Moment
    /// `nil` while it goes on.
    package let stop: Moment?
    /// From 0 to 100.
    package let progress: Int
    package let seconds: Int
    /// When the app changed it, in seconds since the school opened: no two parts of an attempt at the same one.
    package let changed: Int
    /// The title of its item.
    package let edition: Int

    package init(
        activity: ActivityName, context: Context, start: Moment, stop: Moment?, progress: Int,
        seconds: Int, changed: Int, edition: Int
    ) {
        self.activity = activity
        self.context = context
        self.start = start
        self.stop = stop
        self.progress = progress
        self.seconds = seconds
        self.changed = changed
        self.edition = edition
    }
}

/// How a teacher gives a student's work back.
package struct GivenBack: Sendable, Hashable {
    /// The text of the note, numbered like the parts of attempts.
    package let edition: Int
    package let isToTryAgain: Bool

    package init(edition: Int, isToTryAgain: Bool) {
        self.edition = edition
        self.isToTryAgain = isToTryAgain
    }
}

/// Something that was done in a school.
package enum Deed: Sendable {
    case joins(PersonName, Role, ClassName)
    case leaves(PersonName, Role, ClassName)
    /// The directory says today from when, or until when, the person has the seat.
    case willJoin(PersonName, Role, ClassName, at: Moment)
    case willLeave(PersonName, Role, ClassName, at: Moment)
    case archives([ClassName])
    case revives([ClassName])
    case gives(Handout)
    /// As a draft of the person who copies it, with the same tasks.
    case copies(HandoutName, as: HandoutName, to: ClassName, by: PersonName)
    case publishes(HandoutName, at: Moment)
    case chooses(HandoutName, Recipients)
    case locks(HandoutName)
    case unlocks(HandoutName)
    case completes(HandoutName)
    /// Removes tasks, and what was recorded for them if that is intended, and adds some.
    case edits(HandoutName, removes: [TaskName], adds: [Task], discards: Bool)
    case givesBack(TaskName, PersonName, GivenBack)
    /// As if it had not been given back.
    case takesBack(TaskName, PersonName)
    case deletes(HandoutName)
    case switchesSchool(isOn: Bool, deletes: Bool)
    case switchesStudent(PersonName, isOn: Bool)
    case withdraws(Context)
    case erases(PersonName)
    /// An app saves a context for a teacher, with a title numbered like the parts of attempts.
    case saves(OwnContext, edition: Int)
    case removes(OwnContext)
    case opens(TaskName, PersonName, Bool)
    case marksDone(TaskName, PersonName, Bool)
    /// An app says that everything assigned for the context is done.
    case reportsCompletion(PersonName, Context)
    /// Also what a tool reports, as a part of an attempt of its own.
    case uploads([Part])
    /// A person begins to open the tool of a task.
    case launches(TaskName, PersonName)
}

/// A deed and when it was done.
package struct Event: Sendable {
    package let at: Moment
    package let deed: Deed

    package init(at: Moment, deed: Deed) {
        self.at = at
        self.deed = deed
    }
}
