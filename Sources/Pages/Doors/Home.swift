/// `/`: leads to what the person came for.
enum Home: Screen {
    static var pages: [Page] {
        [.get("/", for: .person) { visit in .redirect(start(visit.person)) }]
    }

    private static func start(_ person: Person?) -> LocalPath {
        guard let person else { return "/sign-in" }
        if person.belongs(to: .teacher) { return "/today" }
        if person.belongs(to: .student) { return "/my-work" }
        return person.belongs(to: .manager) ? "/school" : "/me/sign-in"
    }
}
