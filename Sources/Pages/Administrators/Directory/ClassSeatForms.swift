/// The forms that seat people in a class and take them out.
enum ClassSeatForms {
    static func end(_ person: DirectoryPerson, _ role: String, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return postForm(visit, "/school/classes/\(visit["id"])/\(role)/\(person.id)/end") {
            button(
                .class("button"), .type("submit"),
                .label(texts(ClassPageText.takeOutOf, ["name": person.name]))
            ) { texts(ClassPageText.takeOut) }
        }
    }

    static func card(_ seat: ClassPage.SeatForm, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return section(.class("card stack")) {
            h2 { texts(ClassPageText.add) }
            postForm(visit, "/school/classes/\(visit["id"])/seats") {
                field(
                    "whom", label: texts(ClassPageText.whom), hint: texts(ClassPageText.whomHint),
                    problem: seat.problems["whom"], .value(seat.words), .autocomplete("off"))
                Console.choice(
                    "role", label: texts(ClassPageText.role),
                    [
                        ("student", texts(ClassPageText.student)),
                        ("teacher", texts(ClassPageText.teacher)),
                    ], chosen: seat.role)
                div(.class("row")) {
                    button(.class("button button-main"), .type("submit")) {
                        texts(ClassPageText.addButton)
                    }
                }
            }
            if seat.candidates.count > 1 { candidates(seat, visit) }
        }
    }

    private static func candidates(_ seat: ClassPage.SeatForm, _ visit: Visit) -> HTML {
        let texts = visit.texts
        return parts {
            h3 { texts(ClassPageText.whichTitle) }
            ul(.class("list")) {
                for person in seat.candidates {
                    li {
                        div(.class("grow")) {
                            p(.class("strong"), .dirAuto) { person.name }
                            p(.class("small soft")) { written(person.managedID) }
                        }
                        postForm(visit, "/school/classes/\(visit["id"])/seats") {
                            input(.type("hidden"), .name("person"), .value(person.id))
                            input(.type("hidden"), .name("role"), .value(seat.role))
                            button(
                                .class("button"), .type("submit"),
                                .label(
                                    "\(texts(ClassPageText.addButton)): \(person.name)")
                            ) { texts(ClassPageText.addButton) }
                        }
                    }
                }
            }
        }
    }
}
