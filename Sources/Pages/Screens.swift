/// Every screen, one per line.
enum Screens {
    static let all: [any Screen.Type] = [
        // Doors
        Home.self,
        SignIn.self,
        SignOut.self,
        NewPassword.self,
        Account.self,
        LanguageChoice.self,
        Consent.self,
        Device.self,

        // Teachers
        Today.self,
        Classes.self,
        ClassOverview.self,
        Report.self,
        StudentInHandout.self,
        ItemReport.self,
        ClassProgress.self,
        StudentInClass.self,
        HandoutEditor.self,
        ActivityChooser.self,
        TaskForms.self,
        HandoutActions.self,
        Publication.self,
        HandoutCopy.self,
        Roster.self,
        SignInSheet.self,
        ClassMessages.self,
        Library.self,

        // Students
        Work.self,
        MyHandoutPage.self,
        MyLaunch.self,
        MyProgress.self,
        MyAttempts.self,
        Recorded.self,

        // Managers
        School.self,
    ]

    static let pages: [Page] = all.flatMap { $0.pages }

    /// The pages with an entry in the side navigation, in the order of the list.
    static let menu: [Page] = pages.filter { $0.menu != nil }

    /// The keys of every text, for the test that compares them with the catalogues.
    static let textKeys: [any TextKey.Type] = [
        CommonText.self,
        ErrorText.self,
        SignInText.self,
        PasswordText.self,
        AccountText.self,
        LanguageText.self,
        ConsentText.self,
        DeviceText.self,
        TodayText.self,
        ClassesText.self,
        ClassText.self,
        ItemText.self,
        ReportText.self,
        AttemptText.self,
        ItemsText.self,
        ProgressText.self,
        WorkText.self,
        MyAnnouncementsText.self,
        MyHandoutText.self,
        MyLaunchText.self,
        MyFiguresText.self,
        MyProgressText.self,
        MyAttemptsText.self,
        RecordedText.self,
        SchoolText.self,
        TeachingText.self,
        EditorText.self,
        ChooserText.self,
        TaskText.self,
        ActionText.self,
        RosterText.self,
        SheetText.self,
        MessageText.self,
        LibraryText.self,
    ]
}
