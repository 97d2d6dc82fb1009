import JSONBytes

/// The other systems with which people of a school sign in, as far as strangers may know them.
struct OfferedProviders: Sendable {
    struct Provider: Sendable {
        let id: String
        let name: String
    }

    let providers: [Provider]
    /// Whether one has to say first which school it is.
    let isByDomain: Bool
    /// Whether nobody but administrators signs in with a password.
    let isWithoutPasswords: Bool

    /// Asks the API. A door opens with the managed ID and password also where it does not answer.
    ///
    /// - Parameter name: a managed ID or a domain, which says which school it is if there are several.
    init(_ visit: Visit, of name: String? = nil) async {
        let path: LocalPath = "/v1/sign-in/offered-providers"
        let domain = name?.split(separator: "@").last.map { String($0.trimmed) }?.nilIfEmpty
        var document = try? await visit.api.get(path)
        if let domain, document?["byDomain"]?.bool == true {
            document = try? await visit.api.get(path.with("domain", domain))
        }
        providers = (document?["items"]?.array ?? []).compactMap { item in
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return nil }
            return Provider(id: id, name: name)
        }
        isByDomain = document?["byDomain"]?.bool == true
        isWithoutPasswords =
            document?["withoutPasswords"]?.bool == true && !providers.isEmpty
    }

    /// A link for each, and one to say which school it is.
    func links(_ texts: Texts, to back: LocalPath) -> HTML {
        let target = back == "/" ? nil : back.text
        guard providers.isEmpty, isByDomain else { return buttons(texts, to: back) }
        return p {
            a(.href(LocalPath("/sign-in/with").with("to", target))) {
                texts(SignInWithText.find)
            }
        }
    }

    /// A link for each.
    func buttons(_ texts: Texts, to back: LocalPath) -> HTML {
        let target = back == "/" ? nil : back.text
        let kind = isWithoutPasswords ? "button button-main button-wide" : "button button-wide"
        return parts {
            for provider in providers {
                p {
                    a(
                        .class(kind),
                        .href(LocalPath("/sign-in/with/\(provider.id)").with("to", target))
                    ) {
                        texts.html(SignInWithText.button, ["name": written(provider.name)])
                    }
                }
            }
        }
    }
}
