public import CaptureModel
internal import PosixSupport

/// A day of a store: the UTC date of T of its shots.
public struct ShotDay: Hashable, Sendable {
    /// `YYYY/MM/DD`.
    public var name: String
    /// Differs whenever a shot has come or gone; not when a document of one changes. Opaque; empty where the store does not tell.
    public var version: String
    /// Whether any further change gives it another version.
    public var isSettled: Bool

    public init(name: String, version: String, isSettled: Bool) {
        self.name = name
        self.version = version
        self.isSettled = isSettled
    }

    /// The day of an instant.
    public static func name(atRealtimeNanoseconds nanoseconds: Int64) -> String {
        String(UTCDate(realtimeNanoseconds: nanoseconds).description.prefix(10).map { $0 == "-" ? "/" : $0 })
    }

    /// The day of a shot.
    public static func name(of shot: Shot) -> String {
        name(atRealtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time))
    }
}

/// A shot in a listing.
public struct ShotEntry: Hashable, Sendable {
    public var id: ShotID
    public var stamp: ShotStamp

    public init(id: ShotID, stamp: ShotStamp) {
        self.id = id
        self.stamp = stamp
    }
}

/// Which revision of a shot's documents is stored: opaque texts of the store, which differ when a document is replaced; empty for one that is
/// not there.
public struct ShotStamp: Hashable, Sendable {
    public var manifest: String
    public var annotation: String

    /// The stamp of a document that is there and could not be read: equal to none that a store gives.
    public static let unread = "unread"

    /// Whether a document could not be read, so that reading it again may say something else.
    public var isUnread: Bool { manifest == Self.unread || annotation == Self.unread }

    public init(manifest: String, annotation: String) {
        self.manifest = manifest
        self.annotation = annotation
    }
}

/// The documents of a shot as they were read.
public struct ShotRecord: Sendable {
    public var id: ShotID
    /// As ``ShotDay/name``.
    public var day: String
    public var stamp: ShotStamp
    public var content: Content

    public enum Content: Sendable {
        case shot(Shot, ShotAnnotation)
        case damaged(DamagedManifest)
        /// What a crash has left of a shot whose first manifest was never stored.
        case unbegun
    }

    public init(id: ShotID, day: String, stamp: ShotStamp, content: Content) {
        self.id = id
        self.day = day
        self.stamp = stamp
        self.content = content
    }
}

/// A manifest that could not be read; the assets of its shot are untouched.
public struct DamagedManifest: Hashable, Sendable, CustomStringConvertible {
    /// Where people find it.
    public var location: String
    public var reason: String

    public init(location: String, reason: String) {
        self.location = location
        self.reason = reason
    }

    public var description: String { "\(location): \(reason)" }
}

/// Shots of a store, the manifests among them that could not be read, and shots that never began.
public struct ShotListing: Sendable {
    public var shots: [Shot] = []
    public var damaged: [DamagedManifest] = []
    /// A crash came before their first manifest was stored, and so before anything was asked of a camera.
    public var unbegun: [ShotID] = []

    public init() {}
}
