/// What every page says.
enum CommonText: String, TextKey {
    case program, pageTitle, skip, menu, closeMenu, myClasses, signedInAs, signOut, nameAndRole
    case roleTeacher, roleStudent, roleAdministrator, roleManager, roleStaff
    case today, todayInside, dayAndTime, minutes, hoursAndMinutes

    static let section = "common"
}

/// What pages say if something goes wrong.
enum ErrorText: String, TextKey {
    case formTitle, home
    case absentTitle, absent, tooManyTitle, waitSeconds, waitMinutes
    case refusedTitle, refused, failureTitle, failure, failureNumber
    case tooLargeTitle, tooLarge
    case outdatedTitle, outdated, methodTitle, method

    static let section = "error"
}
