internal import CaptureModel

/// The names of a spool's files. All are built from validated ids, never from a peer's text.
enum SpoolNames {
    static let captures = "captures"
    static let damaged = "damaged"
    static let controls = "controls"
    static let recordings = "recordings"
    static let deferred = "deferred"
    private static let manifestSuffix = "capture.json"

    /// `<shot>.<node>.<device>`, with which every file of a capture begins; the parts contain no dot.
    static func stem(_ key: CaptureKey) -> String {
        "\(key.shot).\(key.device.folderName)"
    }

    static func manifest(_ key: CaptureKey) -> String {
        "\(stem(key)).\(manifestSuffix)"
    }

    static func file(_ key: CaptureKey, _ kind: AssetKind) -> String {
        "\(stem(key)).\(kind.fileName)"
    }

    static func deferred(_ key: CaptureKey, _ part: DeferredPart) -> String {
        "\(stem(key)).\(part.rawValue)"
    }

    /// `<node>.<device>.json`, in the folder of controls.
    static func controls(_ device: DeviceID) -> String {
        "\(device.folderName).json"
    }

    /// The name, beside a damaged capture, of a file `<shot>.<node>.<device>-…` of its recording.
    static func setAside(_ name: String, recordedFor key: CaptureKey) -> String {
        "\(stem(key)).recording\(name.dropFirst(stem(key).count))"
    }

    static func isManifest(_ name: String) -> Bool {
        name.hasSuffix(".\(manifestSuffix)")
    }

    /// Whether a path is that of a file in one of a spool's folders.
    static func isIn(_ folder: String, _ path: String) -> Bool {
        path.split(separator: "/").dropLast().last.map(String.init) == folder
    }

    /// The capture a file belongs to; nil for a name this program did not make.
    static func key(of name: some StringProtocol) -> CaptureKey? {
        let parts = name.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let shot = ShotID(String(parts[0])), shot.description == parts[0],
            let node = try? NodeName(String(parts[1])), let device = try? DeviceName(String(parts[2]))
        else { return nil }
        return CaptureKey(shot: shot, device: DeviceID(node: node, device: device))
    }
}
