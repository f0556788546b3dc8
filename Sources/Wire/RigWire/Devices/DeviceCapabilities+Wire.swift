public import CaptureModel
public import RigProtocol

extension DeviceCapabilities {
    public init(wire: WireDeviceCapabilities) throws(WireError) {
        let reader = FieldReader("DeviceCapabilities")
        self.init()
        for format in try reader.list(wire.formats, "formats", limit: WireLimits.formats) {
            formats.append(try FormatOffer(wire: format))
        }
        for control in try reader.list(wire.controls, "controls", limit: WireLimits.controls) {
            controls.append(try DeviceControl(wire: control))
        }
    }

    /// What is more than a message holds is cut off, and `is_cut` says so.
    public var wire: WireDeviceCapabilities {
        var wire = WireDeviceCapabilities()
        wire.formats = formats.prefix(WireLimits.formats).map(\.wire)
        wire.controls = controls.prefix(WireLimits.controls).map(\.wire)
        wire.isCut =
            formats.count > WireLimits.formats || controls.count > WireLimits.controls
            || formats.contains(where: \.isTooLong) || controls.contains { $0.menu.count > WireLimits.menuItems }
        return wire
    }
}

extension FormatOffer {
    fileprivate var isTooLong: Bool {
        sizes.count > WireLimits.sizes || sizes.contains { $0.intervals.count > WireLimits.intervals }
    }
}
