internal import CaptureModel
internal import PosixSupport
internal import StorageKit

/// The names of a library's folders and files. All are built from validated ids and numbers.
enum FolderNames {
    static let manifest = "shot.json"
    /// A take's, in its place.
    static let takeManifest = "take.json"
    /// What ``Folder/publish(_:as:isExclusive:)`` writes first.
    static let unfinishedManifests = ["shot.json.tmp", "take.json.tmp"]
    /// What people say about the shot; theirs.
    static let annotation = "annotation.json"
    static let unfinishedAnnotation = "annotation.json.tmp"
    static let annotationLock = ".annotation.lock"
    static let incoming = ".incoming"
    static let quarantine = ".quarantine"

    static func manifest(of shot: Shot) -> String { shot.take == nil ? manifest : takeManifest }

    /// The name that the manifest in a shot's folder has, or would have.
    static func manifest(in folder: Folder) throws(PosixError) -> String {
        try folder.entry(takeManifest) == nil ? manifest : takeManifest
    }

    /// `YYYY`, `MM`, `DD` and the shot's id; the date is that of T in UTC by the coordinator's wall clock.
    static func folders(of shot: Shot) -> [String] {
        day(atRealtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time)) + [shot.id.description]
    }

    static func day(atRealtimeNanoseconds nanoseconds: Int64) -> [String] {
        UTCDate(realtimeNanoseconds: nanoseconds).description.prefix(10).split(separator: "-").map(String.init)
    }

    /// The day on which an id was minted, by the clock of who minted it.
    static func day(of id: ShotID) -> [String] {
        // An id may name a time far beyond what 64 bits of nanoseconds hold.
        let (nanoseconds, isTooLate) = id.unixMilliseconds.multipliedReportingOverflow(by: 1_000_000)
        return day(atRealtimeNanoseconds: isTooLate ? .max : nanoseconds)
    }

    /// The milliseconds since 1970 of a day; nil for one that does not exist.
    static func milliseconds(ofDay names: [String]) -> Range<Int64>? {
        let numbers = names.compactMap { Int($0) }
        guard numbers.count == 3, names.count == 3,
            let seconds = UTCDate.secondsSince1970(year: numbers[0], month: numbers[1], day: numbers[2])
        else { return nil }
        return seconds * 1_000..<(seconds + 86_400) * 1_000
    }

    /// Path inside the shot's folder.
    static func path(_ device: DeviceID, _ kind: AssetKind) -> String {
        "\(device.folderName)/\(kind.fileName)"
    }

    static func location(of key: FileKey) -> AssetLocation {
        AssetLocation(path(key.capture.device, key.kind))
    }

    /// `<shot>.<node>.<device>.<file>.`, with which the name of every part of a file begins.
    static func partPrefix(_ key: FileKey) -> String {
        "\(key.capture.shot).\(key.capture.device.folderName).\(key.kind.fileName)."
    }

    /// Whose the part of this name is; nil where it is none.
    static func owner(ofPart name: String) -> (shot: ShotID, node: NodeName)? {
        let words = name.split(separator: ".").map(String.init)
        guard words.count > 3, words.last == "part", let shot = ShotID(words[0]), let node = try? NodeName(words[1])
        else { return nil }
        return (shot, node)
    }

    /// The digest is part of the name, so that bytes of one content are never continued with those of another.
    static func part(_ key: FileKey, _ digest: ContentDigest) -> String {
        "\(partPrefix(key))\(digest).part"
    }
}
