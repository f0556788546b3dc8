internal import CaptureModel
internal import OpenSSL
internal import PosixSupport
internal import StorageKit

/// The names of a library's folders and files. All are built from validated ids and numbers.
enum FolderNames {
    static let manifest = "shot.json"
    /// The manifest of a take, instead of `shot.json`.
    static let takeManifest = "take.json"
    /// The temporary files of ``Folder/publish(_:as:)``.
    static let unfinishedManifests = ["shot.json.tmp", "take.json.tmp"]
    /// Title and note of the shot; the user's file.
    static let annotation = "annotation.json"
    static let unfinishedAnnotation = "annotation.json.tmp"
    static let annotationLock = ".annotation.lock"
    static let incoming = ".incoming"
    static let quarantine = ".quarantine"
    /// Records of deletions that are being carried out, and the folders of their shots.
    static let deleting = ".deleting"

    /// Returns the folder of the record of a deleted shot: by the day of its id, so that it is found without the shot.
    static func deleted(_ id: ShotID) -> [String] { [".deleted"] + day(of: id) }

    static func manifest(of shot: Shot) -> String { shot.take == nil ? manifest : takeManifest }

    /// Returns the name of the manifest that is, or would be, in a shot's folder.
    static func manifest(in folder: Folder) throws(PosixError) -> String {
        try folder.entry(takeManifest) == nil ? manifest : takeManifest
    }

    /// Returns `YYYY`, `MM`, `DD` and the shot's id. The date is that of T in UTC by the coordinator's wall clock.
    static func folders(of shot: Shot) -> [String] {
        day(atRealtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time)) + [shot.id.description]
    }

    static func day(atRealtimeNanoseconds nanoseconds: Int64) -> [String] {
        UTCDate(realtimeNanoseconds: nanoseconds).description.prefix(10).split(separator: "-").map(String.init)
    }

    /// Returns the day on which an id was created, by the clock of its creator.
    static func day(of id: ShotID) -> [String] {
        // An id may contain a time far beyond 64 bits of nanoseconds.
        let (nanoseconds, isTooLate) = id.unixMilliseconds.multipliedReportingOverflow(by: 1_000_000)
        return day(atRealtimeNanoseconds: isTooLate ? .max : nanoseconds)
    }

    /// Returns the milliseconds since 1970 of a day; nil for a day that does not exist.
    static func milliseconds(ofDay names: [String]) -> Range<Int64>? {
        let numbers = names.compactMap { Int($0) }
        guard numbers.count == 3, names.count == 3,
            let seconds = UTCDate.secondsSince1970(year: numbers[0], month: numbers[1], day: numbers[2])
        else { return nil }
        return seconds * 1_000..<(seconds + 86_400) * 1_000
    }

    /// Returns the path inside the shot's folder.
    static func path(_ device: DeviceID, _ kind: AssetKind) -> String {
        "\(device.folderName)/\(kind.fileName)"
    }

    static func location(of key: FileKey) -> AssetLocation {
        AssetLocation(path(key.capture.device, key.kind))
    }

    /// Returns `<shot>.<node>.<device>.<file>.`, the beginning of the name of every part of a file.
    static func partPrefix(_ key: FileKey) -> String {
        "\(key.capture.shot).\(key.capture.device.folderName).\(key.kind.fileName)."
    }

    /// Returns the shot and node of a part with this name; nil if the name is not that of a part.
    static func owner(ofPart name: String) -> (shot: ShotID, node: NodeName)? {
        let words = name.split(separator: ".").map(String.init)
        guard words.count > 3, words.last == "part", let shot = ShotID(words[0]), let node = try? NodeName(words[1])
        else { return nil }
        return (shot, node)
    }

    /// Returns the name of a part. It contains the digest, so that bytes of one content are never continued with those of another.
    static func part(_ key: FileKey, _ digest: ContentDigest) -> String {
        "\(partPrefix(key))\(digest).part"
    }
}
