public import CaptureModel

/// A day of a library.
public struct LibraryDay: Hashable, Sendable {
    /// `YYYY/MM/DD`, the folder inside the library.
    public var path: String
    /// Changes when a shot's folder comes, goes or is renamed; not when something changes inside one.
    public var version: String

    public init(path: String, version: String) {
        self.path = path
        self.version = version
    }

    /// The day of an instant in UTC: where a shot of it lies.
    public static func path(atRealtimeNanoseconds nanoseconds: Int64) -> String {
        LibraryNames.day(atRealtimeNanoseconds: nanoseconds).joined(separator: "/")
    }
}

/// Which content of a shot's files this is, by lengths and times of change; empty for a file that is not there.
public struct ShotStamp: Hashable, Sendable {
    public var manifest: String
    public var annotation: String

    /// The stamp of a file that is there and could not be read: equal to none on the disk.
    public static let unread = "unread"

    /// Whether a file could not be read, so that reading it again may say something else.
    public var isUnread: Bool { manifest == Self.unread || annotation == Self.unread }

    public init(manifest: String, annotation: String) {
        self.manifest = manifest
        self.annotation = annotation
    }
}

/// A shot's folder as it was read.
public struct ShotRecord: Sendable {
    public var id: ShotID
    /// As ``LibraryDay/path``.
    public var day: String
    public var stamp: ShotStamp
    public var content: Content

    public enum Content: Sendable {
        case shot(Shot, ShotAnnotation)
        /// A manifest that cannot be read: path and reason.
        case damaged(String)
        /// What a crash has left of a shot that never began.
        case unbegun
    }

    public init(id: ShotID, day: String, stamp: ShotStamp, content: Content) {
        self.id = id
        self.day = day
        self.stamp = stamp
        self.content = content
    }
}
