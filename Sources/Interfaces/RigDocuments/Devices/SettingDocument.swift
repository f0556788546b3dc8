internal import CameraSettings
internal import CaptureModel

/// What a camera supports of a common setting. Values are in the text grammar of docs/settings.md.
struct SettingDocument: Encodable {
    var choices: [String]
    var controls: [String]
    var current: String?
    var defaultValue: String?
    var lost: String
    var maximum: String?
    var minimum: String?
    var name: String
    var obstacle: String?
    var step: String?
    var unit: String?

    init(_ supported: SupportedSetting) {
        choices = supported.choices.map(\.description)
        controls = supported.controls
        current = supported.current?.description
        defaultValue = supported.defaultValue?.description
        lost = supported.lost
        maximum = supported.maximum?.description
        minimum = supported.minimum?.description
        name = supported.setting.rawValue
        obstacle = supported.obstacle
        step = supported.step?.description
        unit = supported.unit?.rawValue
    }
}
