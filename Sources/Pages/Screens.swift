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
        Classes.self,
        ClassOverview.self,

        // Students
        Work.self,
        MyHandoutPage.self,
        MyLaunch.self,
        MyProgress.self,
        MyAttempts.self,
        Recorded.self,

        // Managers
        School.self,
        FindingPage.self,
        People.self,
        SignInSheets.self,
        PersonEditor.self,
        PersonPage.self,
        PersonActions.self,
        Erasure.self,
        Imports.self,
        ImportPage.self,
        Settings.self,
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
        ClassesText.self,
        ClassText.self,
        WorkText.self,
        MyAnnouncementsText.self,
        MyHandoutText.self,
        MyLaunchText.self,
        MyFiguresText.self,
        MyProgressText.self,
        MyAttemptsText.self,
        RecordedText.self,
        SchoolText.self,
        CheckText.self,
        AdviceText.self,
        ConsoleText.self,
        RoleText.self,
        PersonStatusText.self,
        PeopleText.self,
        PersonText.self,
        PersonActionText.self,
        PersonFormText.self,
        ImportStatusText.self,
        ImportsText.self,
        SettingsText.self,
        SheetText.self,
    ]
}
