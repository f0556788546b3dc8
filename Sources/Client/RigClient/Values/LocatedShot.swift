public import CaptureModel
internal import RigProtocol
internal import RigWire

/// A shot's manifest and its location.
public struct LocatedShot: Hashable, Sendable {
    public var shot: Shot
    /// The shot's folder inside the library.
    public var folder: String
    /// The library's folder on the coordinator's machine.
    public var library: String
    /// Title and note of the shot.
    public var annotation: ShotAnnotation
    /// In the answer to a trigger: devices that were selected and are not in the shot, since their nodes do not
    /// configure them.
    public var leftOut: LeftOutDevices?
    /// Differs whenever any of the above does. nil in the answer to a trigger, if the annotation cannot be read, and from a coordinator that
    /// evaluates no conditions (``RigClient/condition``).
    public var version: ContentDigest?

    public init(
        shot: Shot, folder: String, library: String, annotation: ShotAnnotation = ShotAnnotation(),
        leftOut: LeftOutDevices? = nil
    ) {
        self.shot = shot
        self.folder = folder
        self.library = library
        self.annotation = annotation
        self.leftOut = leftOut
    }
}

extension LocatedShot {
    /// - Parameter shot: The content of the manifest.
    init(wire: WireShotDocument, _ shot: Shot) throws(WireError) {
        let reader = FieldReader("ShotDocument")
        guard wire.status == shot.status.rawValue, wire.revision == UInt64(clamping: shot.revision) else {
            throw reader.invalid("status, revision", "are not those of the manifest")
        }
        self.shot = shot
        folder = wire.folder.sentence(limit: WireLimits.reasonByteCount)
        library = wire.library.sentence(limit: WireLimits.reasonByteCount)
        annotation = try wire.hasAnnotation ? ShotAnnotation(wire: wire.annotation) : ShotAnnotation()
        leftOut = LeftOutDevices(
            try reader.list(wire.notConfigured, "not_configured", limit: WireLimits.devicesPerRequest).map {
                (wire) throws(WireError) in try DeviceID(wire: wire)
            })
        version = try reader.version(wire.version, "version")
    }
}
