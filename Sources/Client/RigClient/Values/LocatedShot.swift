public import CaptureModel
internal import FoundationEssentials
internal import RigProtocol
internal import RigWire
internal import ShotDocuments

/// A shot's manifest and where it lies.
public struct LocatedShot: Hashable, Sendable {
    public var shot: Shot
    /// The shot's folder inside the library.
    public var folder: String
    /// The library's folder on the coordinator's machine.
    public var library: String
    /// What people have written about it.
    public var annotation: ShotAnnotation
    /// As the answer to a trigger: what was selected and is not in the shot, since its nodes do not configure it any more.
    public var leftOut: LeftOutDevices?

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
    init(wire: WireShotDocument) throws(WireError) {
        let reader = FieldReader("ShotDocument")
        let id = try reader.shotID(wire.shotID)
        do {
            shot = try JSONDecoder().decode(ShotDocument.self, from: wire.manifestJson).value
        } catch {
            throw reader.invalid("manifest_json", "cannot be read: \(error)")
        }
        guard shot.id == id else { throw reader.invalid("shot_id", "is not the one of the manifest") }
        folder = wire.folder.sentence(limit: WireLimits.reasonByteCount)
        library = wire.library.sentence(limit: WireLimits.reasonByteCount)
        annotation = try wire.hasAnnotation ? ShotAnnotation(wire: wire.annotation) : ShotAnnotation()
        leftOut = LeftOutDevices(
            try reader.list(wire.notConfigured, "not_configured", limit: WireLimits.devicesPerRequest).map {
                (wire) throws(WireError) in try DeviceID(wire: wire)
            })
    }
}
