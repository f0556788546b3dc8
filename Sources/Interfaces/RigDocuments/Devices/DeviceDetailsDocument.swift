internal import CameraSettings
public import CaptureModel

/// All that is known of a device: `capctl devices show`.
public struct DeviceDetailsDocument: Encodable, Sendable {
    var authorization: AuthorizationStatus
    var capabilities: Capabilities?
    var condition: DeviceConditionDocument
    var device: DeviceDescription
    var identity: String?
    var isCut: Bool
    var obstacle: RigProblem?
    var remedy: String?

    /// What the device offers.
    struct Capabilities: Encodable {
        var controls: [Control]
        var formats: [Format]
        var settings: [SettingDocument]
    }

    /// A pixel format with its sizes.
    struct Format: Encodable {
        var convertedFrom: String?
        var pixelFormat: PixelFormat
        var sizes: [Size]
    }

    /// One size, or a grid of sizes, with its rates.
    struct Size: Encodable {
        var heights: PixelRange
        var intervals: [Interval]
        var isMadeToOrder: Bool
        var widths: PixelRange
    }

    /// One frame interval, or every one between two.
    struct Interval: Encodable {
        var longestNanoseconds: Integer64
        var shortestNanoseconds: Integer64
    }

    /// A control. Drivers have controls of 64 bits, so that all its values are of this kind.
    struct Control: Encodable {
        var defaultValue: Integer64
        var isInactive: Bool
        var isReadOnly: Bool
        var kind: DeviceControl.Kind
        var maximum: Integer64
        var menu: [Choice]
        var minimum: Integer64
        var name: String
        var step: Integer64
        var unit: String?
        var value: Integer64?
    }

    /// A choice of a menu; `index` is the control's value that chooses it.
    struct Choice: Encodable {
        var index: Integer64
        var name: String
    }

    public init(_ details: DeviceDetails) {
        authorization = details.authorization
        capabilities = details.capabilities.map { capabilities in
            Capabilities(
                controls: capabilities.controls.map(Control.init), formats: capabilities.formats.map(Format.init),
                settings: details.device.mediaType == .video
                    ? SettableCamera(details, capabilities, catalogue: .shipped).supportedSettings
                        .map(SettingDocument.init) : [])
        }
        condition = DeviceConditionDocument(details.condition)
        device = details.device
        identity = details.identity
        isCut = details.isCut
        obstacle = details.obstacle
        remedy = details.remedy
    }
}

/// The values of a device's controls, as they were read back: `capctl devices set`.
public struct ControlValuesDocument: Encodable, Sendable {
    var controls: [String: Integer64]
    var device: DeviceID

    /// - Parameter values: The values by the names of the controls.
    public init(_ device: DeviceID, values: [String: Int64]) {
        controls = values.mapValues(Integer64.init)
        self.device = device
    }
}

extension DeviceDetailsDocument.Format {
    fileprivate init(_ offer: FormatOffer) {
        convertedFrom = offer.convertedFrom
        pixelFormat = offer.pixelFormat
        sizes = offer.sizes.map(DeviceDetailsDocument.Size.init)
    }
}

extension DeviceDetailsDocument.Size {
    fileprivate init(_ offer: SizeOffer) {
        heights = offer.heights
        intervals = offer.intervals.map { interval in
            DeviceDetailsDocument.Interval(
                longestNanoseconds: Integer64(interval.longestNanoseconds),
                shortestNanoseconds: Integer64(interval.shortestNanoseconds))
        }
        isMadeToOrder = offer.isMadeToOrder
        widths = offer.widths
    }
}

extension DeviceDetailsDocument.Control {
    fileprivate init(_ control: DeviceControl) {
        defaultValue = Integer64(control.defaultValue)
        isInactive = control.isInactive
        isReadOnly = control.isReadOnly
        kind = control.kind
        maximum = Integer64(control.maximum)
        menu = control.menu.map { DeviceDetailsDocument.Choice(index: Integer64($0.index), name: $0.name) }
        minimum = Integer64(control.minimum)
        name = control.name
        step = Integer64(control.step)
        unit = control.unit
        value = control.value.map(Integer64.init)
    }
}
