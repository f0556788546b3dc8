import CaptureModel
import RigProtocol

extension DeviceControl {
    init(wire: WireDeviceControl) throws(WireError) {
        let reader = FieldReader("DeviceControl")
        self.init(
            name: try reader.word(wire.name, "name"), kind: try reader.word(wire.kind, "kind", as: Kind.self),
            minimum: wire.minimum, maximum: wire.maximum,
            step: try reader.number(wire.step, "step", in: 1...Int64.max), defaultValue: wire.defaultValue,
            unit: wire.hasUnit ? wire.unit.sentence(limit: WireLimits.wordByteCount) : nil,
            menu: try reader.list(wire.menu, "menu", limit: WireLimits.menuItems).map {
                MenuItem(index: $0.index, name: $0.name.sentence(limit: WireLimits.wordByteCount))
            },
            value: wire.hasValue ? wire.value : nil, isReadOnly: wire.isReadOnly, isInactive: wire.isInactive)
    }

    var wire: WireDeviceControl {
        var wire = WireDeviceControl()
        wire.name = name
        wire.kind = kind.rawValue
        (wire.minimum, wire.maximum, wire.step) = (minimum, maximum, max(step, 1))
        wire.defaultValue = defaultValue
        if let unit { wire.unit = unit.sentence(limit: WireLimits.wordByteCount) }
        wire.menu = menu.prefix(WireLimits.menuItems).map { item in
            var wire = WireMenuItem()
            wire.index = item.index
            wire.name = item.name.sentence(limit: WireLimits.wordByteCount)
            return wire
        }
        if let value { wire.value = value }
        wire.isReadOnly = isReadOnly
        wire.isInactive = isInactive
        return wire
    }
}
