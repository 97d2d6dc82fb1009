/// The error numbers of Apple's API that are answered, each with the status of a refusal and the message of Homeroom.
enum ContentError: Int, CaseIterable, Sendable {
    case loginNeeded = 9601
    case badArgument = 9602
    case internalError = 9603
    case unknownUser = 9609
    case tooManyRequests = 9646
    case pageOutOfRange = 9650
    case tooManyAssets = 9700
    case tooManyUserIDs = 9701
    case tooManySerialNumbers = 9702
    case duplicateAssets = 9703
    case duplicateUserIDs = 9704
    case duplicateSerialNumbers = 9705
    case notRevocable = 9706
    case notForDevices = 9707
    case unknownEvent = 9708
    case tooFewLicences = 9709
    case addressWithoutToken = 9710
    case addressTooLong = 9711
    case badAddress = 9712
    case metadataTooLong = 9713
    case tooManyUsers = 9714
    case duplicateUsers = 9715
    case userExists = 9716
    case badEmail = 9717
    case assetsNeeded = 9718
    case holdersNeeded = 9719
    case usersNeeded = 9720
    case badVersion = 9721
    case badAuthorization = 9722
    case incompleteManager = 9723
    case managerIDTooLong = 9724
    case managerNameTooLong = 9725
    case wrongMethod = 9726
    case wrongContentType = 9727

    var status: Int {
        switch self {
        case .loginNeeded, .badAuthorization: 401
        case .wrongMethod: 405
        case .wrongContentType: 415
        case .tooManyRequests: 429
        case .internalError: 500
        default: 400
        }
    }

    var message: String {
        switch self {
        case .loginNeeded: "The content token is unknown, has expired or was revoked."
        case .badArgument: "An argument is wrong."
        case .internalError: "Something went wrong on our side."
        case .unknownUser:
            "This user is not registered here, is deactivated, or has no role at the location."
        case .tooManyRequests: "You asked for too much in a short time."
        case .pageOutOfRange: "There is no page with this index."
        case .tooManyAssets: "The request names too many assets."
        case .tooManyUserIDs: "The request names too many client user ids."
        case .tooManySerialNumbers: "The request names too many serial numbers."
        case .duplicateAssets: "An asset is named more than once."
        case .duplicateUserIDs: "A client user id is named more than once."
        case .duplicateSerialNumbers: "A serial number is named more than once."
        case .notRevocable: "Licences of this asset stay with their holders."
        case .notForDevices: "Devices cannot hold licences of this asset."
        case .unknownEvent: "There is no event with this id, or it is too old."
        case .tooFewLicences: "Too few licences of this asset are left."
        default: messageOfForm
        }
    }

    /// What is wrong in the form of a request.
    private var messageOfForm: String {
        switch self {
        case .addressWithoutToken: "notificationUrl and notificationAuthToken go together."
        case .addressTooLong: "notificationUrl or notificationAuthToken is too long."
        case .badAddress: "notificationUrl should begin with https://."
        case .metadataTooLong: "mdmInfo.metadata is too long."
        case .tooManyUsers: "The request names too many users."
        case .duplicateUsers: "A user is named more than once."
        case .userExists: "This client user id or this person is registered already."
        case .badEmail: "This is not a valid email address."
        case .assetsNeeded: "Name at least one asset."
        case .holdersNeeded: "Name at least one client user id or serial number."
        case .usersNeeded: "Name at least one user."
        case .badVersion: "This is not a version id of this list."
        case .badAuthorization: "Send Authorization: Bearer, followed by the content token."
        case .incompleteManager: "mdmInfo needs id, name and metadata."
        case .managerIDTooLong: "mdmInfo.id is too long."
        case .managerNameTooLong: "mdmInfo.name is too long."
        case .wrongMethod: "This path does not take this method."
        case .wrongContentType: "The body should be JSON."
        default: "An argument is wrong."
        }
    }
}
