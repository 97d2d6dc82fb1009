/// The name of a person or thing in a made-up school: short, and unique within its kind.
///
/// - `Kind`: keeps a class from being mistaken for a person.
package struct Name<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral value: String) {
        text = value
    }

    package var description: String { text }

    package static func < (left: Name, right: Name) -> Bool {
        (left.text.count, left.text) < (right.text.count, right.text)
    }
}

package enum PersonKind {}
package enum ClassKind {}
package enum HandoutKind {}
package enum TaskKind {}

package typealias PersonName = Name<PersonKind>
package typealias ClassName = Name<ClassKind>
package typealias HandoutName = Name<HandoutKind>
package typealias TaskName = Name<TaskKind>

/// One attempt: apps choose its name, so two students may use the same one.
package struct ActivityName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let student: PersonName
    package let number: Int

    package init(student: PersonName, number: Int) {
        self.student = student
        self.number = number
    }

    package var description: String { "attempt \(number) of \(student)" }

    package static func < (left: ActivityName, right: ActivityName) -> Bool {
        (left.student, left.number) < (right.student, right.number)
    }
}

/// Minutes since the school opened. Things happen on the hour; attempts begin and end in between.
package typealias Moment = Int

/// Which of two worlds something belongs to; nothing crosses.
package enum World: String, Sendable, CaseIterable, Hashable {
    case production
    case development
}

/// A node in an app that can be assigned, and for which activities are reported.
package struct Context: Hashable, Sendable, CustomStringConvertible {
    package let app: String
    package let world: World
    /// Below the app; empty for the app itself.
    package let path: [String]

    package init(app: String, world: World, path: [String]) {
        self.app = app
        self.world = world
        self.path = path
    }

    package var description: String {
        ([app] + path).joined(separator: "/") + (world == .production ? "" : " in development")
    }
}
