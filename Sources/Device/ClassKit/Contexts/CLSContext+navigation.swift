import Foundation

/// A context below which another one is also shown: the object, or its path below the app until it is needed.
enum NavigationPlace {
    case context(Reference)
    case path([String])

    /// Does not keep the context alive, so that two contexts can refer to each other.
    struct Reference {
        weak var context: CLSContext?
    }

    /// Called with the lock held.
    func isSame(as context: CLSContext, at path: [String]) -> Bool {
        switch self {
        case .context(let reference): reference.context === context
        case .path(let own): own == path
        }
    }
}

extension CLSContext {
    /// Contexts that are also shown below this one while people browse. Their identifier paths stay what they are.
    public var navigationChildContexts: [CLSContext] {
        ObjectLock.locked {
            let path = pathBelowApp
            return ancestry[0].subtree.filter { context in
                context.navigation.contains { $0.isSame(as: self, at: path) }
            }
        }
    }

    /// Also shows a context below this one.
    public func addNavigationChildContext(_ child: CLSContext) {
        ObjectLock.locked {
            let path = pathBelowApp
            guard !child.navigation.contains(where: { $0.isSame(as: self, at: path) }) else {
                return
            }
            child.navigation.append(.context(NavigationPlace.Reference(context: self)))
            child.noteChange()
        }
    }

    /// No longer shows a context below this one.
    public func removeNavigationChildContext(_ child: CLSContext) {
        ObjectLock.locked {
            let path = pathBelowApp
            let count = child.navigation.count
            child.navigation.removeAll { $0.isSame(as: self, at: path) }
            if child.navigation.count != count { child.noteChange() }
        }
    }

    /// The paths of the contexts below which this one is also shown. Called with the lock held.
    var navigationPaths: [[String]] {
        navigation.compactMap { place in
            switch place {
            case .context(let reference): reference.context.map(\.pathBelowApp)
            case .path(let path): path
            }
        }
    }

    /// The context at a path below this one, if memory has it. Called with the lock held.
    func descendant(at path: some Sequence<String>) -> CLSContext? {
        var found: CLSContext? = self
        for identifier in path { found = found?.children[identifier] }
        return found
    }
}
