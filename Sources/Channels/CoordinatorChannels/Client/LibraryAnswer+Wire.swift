import CaptureModel
import Catalogue
import FoundationEssentials
import RigCore
import RigProtocol
import RigWire
import ShotDocuments
import StorageKit

extension ShotAnswer {
    var wire: WireShotDocument {
        var wire = WireShotDocument()
        wire.shotID = shot.id.wire
        wire.status = shot.status.rawValue
        wire.revision = UInt64(clamping: shot.revision)
        wire.manifest = manifest.wire
        wire.folder = folder
        wire.library = library
        if let annotation { wire.annotation = annotation.wire }
        wire.notConfigured = notConfigured.prefix(WireLimits.devicesPerRequest).map(\.wire)
        if let version { wire.version = version.wire }
        return wire
    }
}

extension ShotAnnotation {
    /// - Parameter version: That of the shot with this annotation.
    func wire(version: ContentDigest) -> WireShotAnnotation {
        var wire = self.wire
        wire.version = version.wire
        return wire
    }
}

extension StoredManifest {
    /// The answer with the first page of the document.
    var wire: WireManifest {
        var wire = WireManifest()
        wire.schemaVersion = UInt32(clamping: shot.schemaVersion)
        wire.byteCount = UInt64(bytes.count)
        wire.sha256 = digest.wire
        wire.content = Data(bytes.prefix(WireLimits.manifestPage))
        return wire
    }
}

extension ManifestPart {
    var wire: WireManifestPage {
        var wire = WireManifestPage()
        wire.shotID = shot.wire
        wire.sha256 = digest.wire
        wire.offset = UInt64(offset)
        wire.content = Data(bytes)
        return wire
    }
}

extension CatalogueListing {
    var wire: WireShotList {
        var wire = WireShotList()
        wire.shots = shots.map(\.wire)
        wire.damaged = damaged.map(\.wire)
        wire.moreDamaged = UInt32(clamping: moreDamaged)
        return wire
    }
}

extension CatalogueEntry {
    var wire: WireShotSummary {
        var wire = WireShotSummary()
        wire.shotID = id.wire
        wire.status = status.rawValue
        wire.realtimeNs = realtimeNanoseconds
        wire.expected = UInt32(clamping: expected)
        wire.done = UInt32(clamping: done)
        wire.folder = folder
        wire.title = title
        return wire
    }
}

extension UnreadableShot {
    fileprivate var wire: WireDamagedShot {
        var wire = WireDamagedShot()
        wire.shotID = id.wire
        wire.folder = folder
        wire.reason = description.sentence(limit: WireLimits.reasonByteCount)
        return wire
    }
}

extension VerifyFinding {
    var wire: WireVerifiedFile {
        var wire = WireVerifiedFile()
        wire.path = path
        wire.finding = state.rawValue
        return wire
    }
}

extension AssetPart {
    var wire: WireAssetPart {
        var wire = WireAssetPart()
        wire.shotID = range.shot.wire
        wire.file = range.file
        wire.offset = range.offset
        wire.data = Data(bytes)
        wire.byteCount = content.byteCount
        wire.sha256 = Data(content.digest.bytes)
        return wire
    }
}

extension PictureAnswer {
    var wire: WireSmallPicture {
        var wire = WireSmallPicture()
        wire.shotID = request.shot.wire
        (wire.file, wire.picture) = (request.file, request.picture.rawValue)
        wire.data = Data(bytes)
        wire.byteCount = content.byteCount
        wire.sha256 = Data(content.digest.bytes)
        return wire
    }
}
