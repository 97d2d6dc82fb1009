import Foundation

/// The thumbnail of a context. That of a saved context is read when the app asks for it.
enum Picture {
    case absent
    case stored
    case loaded(CGImage)
    /// Set or removed since the last save.
    case changed(CGImage?)
}

extension CLSContext {
    func setPicture(_ image: CGImage?) {
        ObjectLock.locked {
            if let image, image.width < 80, image.height < 80 {
                return refuse(
                    .invalidArgument,
                    "A thumbnail has at least 80 pixels on one side; this one has "
                        + "\(image.width) × \(image.height).")
            }
            picture = .changed(image)
            noteChange()
        }
    }

    /// Reads the database without the lock.
    func picture(loadedFrom store: CLSDataStore?) -> CGImage? {
        let (picture, path) = ObjectLock.locked { (self.picture, savedPath) }
        switch picture {
        case .absent: return nil
        case .loaded(let image): return image
        case .changed(let image): return image
        case .stored:
            guard let path, let store else { return nil }
            guard let file = store.thumbnail(at: path), let image = CGImage(file: file) else {
                store.fetchThumbnail(at: path)
                return nil
            }
            ObjectLock.locked {
                if case .stored = self.picture { self.picture = .loaded(image) }
            }
            return image
        }
    }
}
