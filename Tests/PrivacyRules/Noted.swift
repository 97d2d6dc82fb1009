/// What was noted about an assignment: by the student, by an app in the student's name, or by a teacher who gave it
/// back.
package struct Noted: Sendable, Hashable {
    package var isOpened: Bool
    package var isDone: Bool
    package var givenBack: GivenBack?

    package init(isOpened: Bool = false, isDone: Bool = false, givenBack: GivenBack? = nil) {
        self.isOpened = isOpened
        self.isDone = isDone
        self.givenBack = givenBack
    }

    package var saysAnything: Bool { isOpened || isDone || givenBack != nil }
}

extension Noted: CustomStringConvertible {
    package var description: String {
        let givenBack = givenBack.map {
            " given back with \($0.edition)" + ($0.isToTryAgain ? " to try again" : "")
        }
        return (isOpened ? " opened" : "") + (isDone ? " done" : "") + (givenBack ?? "")
    }
}
