/// Why a text is not a request for settings.
public struct SettingsTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting; nil if the text names none.
    public var setting: String?
    /// The offending part of the text, at most 64 characters of it.
    public var text: String
    /// What is wrong with it.
    public var reason: String
    /// What would be accepted.
    public var accepted: String

    init(setting: String?, text: String, reason: String, accepted: String) {
        self.setting = setting?.excerpt
        self.text = text.excerpt
        self.reason = reason
        self.accepted = accepted
    }

    public var description: String {
        "\(setting.map { "\($0): " } ?? "")'\(text)' \(reason); accepted: \(accepted)"
    }
}
