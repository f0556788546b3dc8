public import CaptureModel

/// A shot in a listing.
public struct ShotEntry: Hashable, Sendable {
    public var id: ShotID
    public var stamp: ShotStamp

    public init(id: ShotID, stamp: ShotStamp) {
        self.id = id
        self.stamp = stamp
    }
}

/// The stored revisions of a shot's documents: opaque texts of the store that differ when a document is replaced. Empty for a document that
/// does not exist.
public struct ShotStamp: Hashable, Sendable {
    public var manifest: String
    public var annotation: String

    /// The stamp of a document that exists and could not be read. No store uses it for anything else.
    public static let unread = "unread"

    /// Whether a document could not be read, so that another attempt may have a different result.
    public var isUnread: Bool { manifest == Self.unread || annotation == Self.unread }

    public init(manifest: String, annotation: String) {
        self.manifest = manifest
        self.annotation = annotation
    }
}

/// The documents of a shot as read from a store.
public struct ShotRecord: Sendable {
    public var id: ShotID
    /// As ``ShotDay/name``.
    public var day: String
    public var stamp: ShotStamp
    public var content: Content

    public enum Content: Sendable {
        case shot(Shot, ShotAnnotation)
        case damaged(DamagedManifest)
        /// Remains of a shot whose first manifest was never stored because of a crash.
        case unbegun
    }

    public init(id: ShotID, day: String, stamp: ShotStamp, content: Content) {
        self.id = id
        self.day = day
        self.stamp = stamp
        self.content = content
    }
}

/// A manifest that could not be read. The assets of its shot are not affected.
public struct DamagedManifest: Hashable, Sendable, CustomStringConvertible {
    /// Where users find it.
    public var location: String
    public var reason: String

    public init(location: String, reason: String) {
        self.location = location
        self.reason = reason
    }

    public var description: String { "\(location): \(reason)" }
}

/// Shots of a store, manifests that could not be read, and shots that never began.
public struct ShotListing: Sendable {
    public var shots: [Shot] = []
    public var damaged: [DamagedManifest] = []
    /// Shots whose first manifest was not stored because of a crash. Nothing had been requested of a camera yet.
    public var unbegun: [ShotID] = []

    public init() {}
}

/// Complete listings, read page by page.
extension ShotReading {
    /// The most entries in a page.
    private static var pageSize: Int { 1000 }

    /// Returns every day that has shots, newest first.
    public func days() async throws(StorageError) -> [ShotDay] {
        var days: [ShotDay] = []
        while true {
            let page = try await self.days(before: days.last?.name, limit: Self.pageSize)
            days += page
            if page.count < Self.pageSize { return days }
        }
    }

    /// Returns every shot of a day in order of id.
    public func list(_ day: String) async throws(StorageError) -> [ShotEntry] {
        var entries: [ShotEntry] = []
        while true {
            let page = try await list(day, after: entries.last?.id, limit: Self.pageSize)
            entries += page
            if page.count < Self.pageSize { return entries }
        }
    }

    /// Returns the newest shots: newest day first, and within a day the highest id first. Ids are in the order of the requests.
    /// - Parameters:
    ///   - limit: The most shots to return, damaged ones included.
    ///   - before: The last shot of the previous listing, to continue after it. An unknown shot gives an empty listing.
    public func shots(limit: Int, before: ShotID? = nil) async throws(StorageError) -> ShotListing {
        var listing = ShotListing()
        var start: (day: String, id: ShotID)?
        if let before {
            guard let day = try await day(of: before) else { return listing }
            start = (day, before)
        }
        for day in try await days().map(\.name) {
            if let start, day > start.day { continue }
            for entry in try await list(day).reversed() {
                if let start, (day, entry.id) >= start { continue }
                guard listing.shots.count + listing.damaged.count < limit else { return listing }
                if let record = try await record(of: entry.id, day: day) { listing.add(record) }
            }
        }
        return listing
    }

    /// Returns every shot without a result, oldest first, and the manifests that could not be read.
    public func openShots() async throws(StorageError) -> ShotListing {
        var listing = ShotListing()
        for day in try await days() {
            for entry in try await list(day.name).reversed() {
                guard let record = try await record(of: entry.id, day: day.name) else { continue }
                if case .shot(let shot, _) = record.content, shot.status != .open { continue }
                listing.add(record)
            }
        }
        listing.shots.reverse()
        return listing
    }
}

extension ShotListing {
    mutating func add(_ record: ShotRecord) {
        switch record.content {
        case .shot(let shot, _): shots.append(shot)
        case .damaged(let manifest): damaged.append(manifest)
        case .unbegun: unbegun.append(record.id)
        }
    }
}
