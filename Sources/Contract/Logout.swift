import HTTPWire
import Shapes

/// The calls about signing out with a connected system.
package enum LogoutCalls {
    package static let check = Call<NoQuery, Document<LogoutAnswer>>(
        .post, "/v1/authorizations/logout")

    static let all: [any DeclaredCall] = [check]
}

/// What a system may do that brings a browser here to sign its person out.
package struct LogoutAnswer: Record {
    package let confirmed = Member<Bool>(
        "confirmed",
        "Whether the hint belongs to the sign-in of the token: else ask the person.")
    package let redirectTo = Member<String?>(
        leftOut: "redirectTo", .text(1...8000),
        "Where to send the browser afterwards; absent if the system has not registered the address."
    )
    package let client = Member<String?>(
        leftOut: "client", .text(1...256), "The name of the system, if it is known.")

    package static let declaration = Declaration(Self())
}
