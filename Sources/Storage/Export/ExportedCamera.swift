public import CaptureModel

/// A camera of an export, as programs outside can know it.
public struct ExportedCamera: Hashable, Codable, Sendable {
    public var device: DeviceID
    public var make: String?
    public var model: String?
    /// The serial number of the hardware. That in EXIF has the device's id too, which tells cameras of one number apart.
    public var serial: String?
    /// Other cameras of the export with the same make, model and picture size. A program that groups pictures by these alone takes the
    /// cameras for one; absent if there are none.
    public var alike: [DeviceID]?

    /// The cameras of shots, in the order of their ids.
    static func list(_ shots: [Shot]) -> [ExportedCamera] {
        var outlines: [DeviceID: CameraOutline] = [:]
        for capture in shots.flatMap(\.captures) {
            outlines[capture.device.id, default: CameraOutline()].add(capture)
        }
        return outlines.sorted { $0.key < $1.key }.map { device, outline in
            let alike = outlines.filter { $0.key != device && $0.value.isLike(outline) }.keys.sorted()
            return ExportedCamera(
                device: device, make: outline.make, model: outline.model, serial: outline.serial,
                alike: alike.isEmpty ? nil : alike)
        }
    }
}

/// What the manifests of several shots say of a camera; the newest word counts.
private struct CameraOutline {
    var make: String?
    var model: String?
    var serial: String?
    private var sizes: Set<PixelSize> = []

    mutating func add(_ capture: Capture) {
        make = capture.device.make ?? make
        model = capture.device.model ?? model
        serial = capture.device.serial ?? serial
        if let resolved = capture.resolved {
            sizes.insert(PixelSize(width: resolved.width, height: resolved.height))
        }
    }

    /// Whether pictures of both cameras can be of one make, model and size. Cameras that say neither are of one model, as far as anybody can
    /// know.
    func isLike(_ other: CameraOutline) -> Bool {
        make == other.make && model == other.model && !sizes.isDisjoint(with: other.sizes)
    }
}
