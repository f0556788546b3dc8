public import CaptureModel

/// A camera as settings see it: what it offers, what it does at present, and what is known of its model.
public struct SettableCamera: Hashable, Sendable {
    public var capabilities: DeviceCapabilities
    /// The format of its stream; nil if it does not stream.
    public var format: VideoFormat?
    public var peculiarities: CameraPeculiarities?
    private let controls: [String: DeviceControl]

    public init(
        _ capabilities: DeviceCapabilities, format: VideoFormat? = nil, peculiarities: CameraPeculiarities? = nil
    ) {
        self.capabilities = capabilities
        self.format = format
        self.peculiarities = peculiarities
        controls = Dictionary(capabilities.controls.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func control(_ name: String) -> DeviceControl? { controls[name] }

    /// Returns the first control that the camera has of these.
    func control(_ names: [String]) -> DeviceControl? {
        for name in names { if let control = controls[name] { return control } }
        return nil
    }

    /// Returns the number behind a setting.
    /// - Throws: ``SettingRefusal`` if the camera has no control for it, or one that cannot be set.
    func numeric(_ setting: CaptureSetting) throws(SettingRefusal) -> NumericControl {
        switch SettingMapping.of(setting).target {
        case .number(let names): try NumericControl(try usable(names), of: setting, peculiarities)
        case .lens(let names): try NumericControl(try usable(names), of: setting, peculiarities, isLens: true)
        default: throw SettingRefusal(SettingMapping.of(setting).lost)
        }
    }

    /// Returns the first control that the camera has of these, if it can be set.
    func usable(_ names: [String]) throws(SettingRefusal) -> DeviceControl {
        guard let control = control(names) else {
            let listed = names.count == 1 ? "control" : "control of"
            throw SettingRefusal("the camera has no \(listed) \(names.joined(separator: ", "))")
        }
        guard !control.isReadOnly else { throw SettingRefusal("its control '\(control.name)' can only be read") }
        return control
    }
}
