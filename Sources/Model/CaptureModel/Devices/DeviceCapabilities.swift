/// What a device can do: the level "supported", below "enabled" by configuration and "requested" by settings.
public struct DeviceCapabilities: Hashable, Codable, Sendable {
    public var formats: [FormatOffer]
    public var controls: [DeviceControl]

    public init(formats: [FormatOffer] = [], controls: [DeviceControl] = []) {
        self.formats = formats
        self.controls = controls
    }
}
