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

    /// The capabilities on the wire. Entries beyond the limits of a message are cut off, and `is_cut` is set.
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

extension WireSetControls {
    /// Checks and returns the requested values.
    public func checked() throws(WireError) -> [String: Int64] {
        let reader = FieldReader("SetControls")
        guard !values.isEmpty, values.count <= WireLimits.controls else {
            throw reader.invalid("values", "has \(values.count) entries; 1 to \(WireLimits.controls) are allowed")
        }
        for name in values.keys { _ = try reader.word(name, "values") }
        return values
    }
}

extension WireControlValues {
    /// Checks and returns the values that were read back.
    public func checked() throws(WireError) -> [String: Int64] {
        let reader = FieldReader("ControlValues")
        guard values.count <= WireLimits.controls else {
            throw reader.invalid("values", "has \(values.count) entries; at most \(WireLimits.controls) are allowed")
        }
        for name in values.keys { _ = try reader.word(name, "values") }
        return values
    }
}

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

extension DeviceDetails {
    public init(wire: WireDeviceDetails) throws(WireError) {
        let reader = FieldReader("DeviceDetails")
        self.init(
            device: try DeviceDescription(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            condition: try DeviceCondition(
                wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition")),
            authorization: try reader.word(wire.authorization, "authorization", as: AuthorizationStatus.self),
            remedy: wire.hasRemedy ? wire.remedy.sentence(limit: WireLimits.problemByteCount) : nil,
            identity: wire.hasIdentity ? wire.identity.sentence(limit: WireLimits.reasonByteCount) : nil)
        switch wire.offer {
        case .capabilities(let offer):
            capabilities = try DeviceCapabilities(wire: offer)
            isCut = offer.isCut
        case .obstacle(let problem): obstacle = RigProblem(wire: problem)
        case nil: throw WireError(.missing, message: "DeviceDetails", field: "offer", reason: "is required and absent")
        }
    }

    /// The details on the wire. Entries beyond the limits of a message are cut off, and ``isCut`` is set.
    public var wire: WireDeviceDetails {
        var wire = WireDeviceDetails()
        wire.device = device.wire
        wire.condition = condition.wire
        wire.authorization = authorization.rawValue
        if let remedy { wire.remedy = remedy.sentence(limit: WireLimits.problemByteCount) }
        if let identity { wire.identity = identity.sentence(limit: WireLimits.reasonByteCount) }
        if let capabilities {
            wire.capabilities = capabilities.wire
            wire.capabilities.isCut = isCut || wire.capabilities.isCut
        } else {
            wire.obstacle = (obstacle ?? RigProblem(.inputOutput, "the device was not asked")).wire
        }
        return wire
    }
}

extension FormatOffer {
    init(wire: WireFormatOffer) throws(WireError) {
        let reader = FieldReader("FormatOffer")
        self.init(
            pixelFormat: try reader.word(wire.pixelFormat, "pixel_format", as: PixelFormat.self),
            convertedFrom: wire.hasConvertedFrom ? wire.convertedFrom.sentence(limit: WireLimits.wordByteCount) : nil,
            sizes: [])
        for size in try reader.list(wire.sizes, "sizes", limit: WireLimits.sizes) {
            sizes.append(try SizeOffer(wire: size))
        }
    }

    var wire: WireFormatOffer {
        var wire = WireFormatOffer()
        wire.pixelFormat = pixelFormat.rawValue
        if let convertedFrom { wire.convertedFrom = convertedFrom.sentence(limit: WireLimits.wordByteCount) }
        wire.sizes = sizes.prefix(WireLimits.sizes).map(\.wire)
        return wire
    }
}

extension SizeOffer {
    fileprivate init(wire: WireSizeOffer) throws(WireError) {
        let reader = FieldReader("SizeOffer")
        self.init(
            widths: try PixelRange(wire: try reader.present(wire.hasWidths ? wire.widths : nil, "widths")),
            heights: try PixelRange(wire: try reader.present(wire.hasHeights ? wire.heights : nil, "heights")),
            intervals: [], isMadeToOrder: wire.madeToOrder)
        for interval in try reader.list(wire.intervals, "intervals", limit: WireLimits.intervals) {
            intervals.append(
                IntervalOffer(
                    shortestNanoseconds: try reader.number(interval.shortestNs, "shortest_ns", in: WireLimits.interval),
                    longestNanoseconds: try reader.number(interval.longestNs, "longest_ns", in: WireLimits.interval)))
        }
    }

    fileprivate var wire: WireSizeOffer {
        var wire = WireSizeOffer()
        wire.widths = widths.wire
        wire.heights = heights.wire
        wire.intervals = intervals.prefix(WireLimits.intervals).map { interval in
            var wire = WireIntervalOffer()
            wire.shortestNs = interval.shortestNanoseconds
            wire.longestNs = interval.longestNanoseconds
            return wire
        }
        wire.madeToOrder = isMadeToOrder
        return wire
    }
}

extension PixelRange {
    fileprivate init(wire: WirePixelRange) throws(WireError) {
        let reader = FieldReader("PixelRange")
        // The numbers of a driver may be inconsistent. They are passed on unchanged.
        let range: ClosedRange<Int64> = 0...Int64(UInt32.max)
        self.init(
            Int(try reader.number(wire.smallest, "smallest", in: range)),
            Int(try reader.number(wire.largest, "largest", in: range)),
            step: Int(try reader.number(wire.step, "step", in: 1...Int64(UInt32.max))))
    }

    fileprivate var wire: WirePixelRange {
        var wire = WirePixelRange()
        wire.smallest = UInt32(clamping: smallest)
        wire.largest = UInt32(clamping: largest)
        wire.step = UInt32(clamping: step)
        return wire
    }
}

extension WireLimits {
    /// The times between frames that a device may offer: any positive number.
    static let interval: ClosedRange<Int64> = 1...Int64.max
}
