import Crypto
import HTTPServer
import HTTPWire
import Values

/// The pages that people use in a browser.
///
/// They are a client of the HTTP API inside the process: each page asks the API in the name of the person who is signed
/// in, and shows what it answers. They hold no authority and no data of their own.
package final class Pages: Sendable {
    enum Route: Sendable {
        case asset(path: String, name: String)
        case page(Page)
    }

    private let api: Client.API
    private let router: Router<(route: Route, number: Int)>
    private let renewals = Renewals()
    private let clock: Clock
    private let offered: Offered
    private let site: String?
    /// The methods and path patterns of all pages and files, in the order of their route numbers.
    package let routes: [(method: String, path: String)]

    /// - Parameters:
    ///   - firstNumber: the route number of the first page, for counting requests.
    ///   - clock: the time of day.
    ///   - offered: accounts of the demonstration school, with which browsers on this machine may sign in by one click.
    ///   - app: the app of the demonstration school that is served to them.
    ///   - site: the URL by which people know this server, such as `https://school.example`; `nil` takes the one that
    ///     each request names.
    ///   - api: answers the calls of the API, and every request that is not for a page.
    package init(
        firstNumber: Int, clock: Clock,
        offered: [OfferedAccount] = [], app: OfferedApp? = nil, site: String? = nil,
        api: @escaping Client.API
    ) {
        self.api = api
        self.clock = clock
        self.offered = Offered(accounts: offered, app: app)
        self.site = site
        var router = Router<(route: Route, number: Int)>()
        var routes: [(method: String, path: String)] = []
        func register(_ method: HTTPMethod, _ path: String, named name: String, _ route: Route) {
            router.register(method, path, (route, firstNumber + routes.count))
            routes.append((method.name, name))
        }
        for page in Screens.pages {
            register(page.method, page.path, named: page.path, .page(page))
        }
        for (path, name) in Assets.shared.paths {
            register(.get, path, named: name, .asset(path: path, name: name))
        }
        self.router = router
        self.routes = routes
    }

    /// Reads the texts of all languages and compresses the files, so that the first page need not wait for that. Takes
    /// some time.
    package static func prepare() {
        _ = Catalogue.all
        _ = Assets.shared.answer(Assets.shared.style.text, packed: true)
    }

    /// Answers a request for a page, and lets the API answer all others.
    package func answer(_ http: HTTPRequest) async -> HTTPResponse {
        if http.head.isAboutServer { return await api(http) }
        switch router.match(http.method, http.segments) {
        case .notFound:
            let answer = await api(http)
            guard answer.status == 404, http.route == nil, wantsPage(http) else { return answer }
            var turn = turn(http, PathParameters(), path: "")
            return await turn.answer(Self.absent)
        case .methodNotAllowed(let allowed):
            // Methods that no server knows are the API's to refuse.
            guard Self.methods.contains(http.method) else { return await api(http) }
            if http.method == .options {
                let allow = allowed.map(\.name).joined(separator: ", ")
                return HTTPResponse(status: 204, headers: [ResponseField("Allow", allow)])
            }
            let turn = turn(http, PathParameters(), path: "")
            return await turn.response(.view(ErrorPage.wrongMethod(allowed, turn.visit)))
        case .found((let route, let number), let parameters):
            http.routeNumber = number
            switch route {
            case .asset(let path, let name):
                http.route = name
                return Assets.shared.answer(path, packed: http.headers.takesGzip)
                    ?? HTTPResponse(status: 404)
            case .page(let page):
                http.route = page.path
                var turn = turn(http, parameters, path: page.path)
                return await turn.answer(page)
            }
        }
    }

    /// For people who mistype an address. Programs get the API's problem.
    private static let absent = Page.get("", for: .anyone) { .view(ErrorPage.absent($0)) }

    private func wantsPage(_ http: HTTPRequest) -> Bool {
        guard http.method == .get || http.method == .head else { return false }
        return QualityList(http.headers, "accept", limit: 20)["text/html"] ?? 0 > 0
    }

    private static let methods: [HTTPMethod] = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]

    private func turn(
        _ http: HTTPRequest, _ parameters: PathParameters, path: String
    ) -> Turn {
        let cookies = Cookies(http.headers)
        let isSecure = http.isSecure
        let session = cookies[.session, isSecure: isSecure].flatMap(Session.init(cookie:))
        let language = Language(
            chosen: cookies[.language, isSecure: isSecure],
            accepted: QualityList(http.headers, "accept-language", limit: 20))
        let known = cookies[.visit, isSecure: isSecure].flatMap(Session.init(cookie:))?.token
        let secret = known ?? SecureRandom.token()
        let knownTyped = cookies[.typed, isSecure: isSecure].flatMap(Session.init(cookie:))?.token
        let typedSecret = knownTyped ?? SecureRandom.token()
        let visit = Visit(
            request: http, parameters: parameters,
            api: Client(api, for: http, token: session?.token, language: language),
            texts: Texts(language), session: session,
            formKey: FormKey(secret: session?.token ?? secret),
            typedKey: TypedKey(secret: typedSecret), now: clock.now,
            offered: OfferedAccount.areFor(http) ? offered : .nothing, knownSite: site)
        return Turn(
            visit: visit, path: path, renewals: renewals,
            visitSecret: (secret, isKnown: known != nil),
            newTypedSecret: knownTyped == nil ? typedSecret : nil,
            notice: cookies[.notice, isSecure: isSecure])
    }
}
