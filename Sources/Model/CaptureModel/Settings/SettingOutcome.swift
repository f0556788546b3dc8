/// What becomes of one entry of a request.
public struct SettingOutcome: Hashable, Sendable, CustomStringConvertible {
    public var entry: CaptureSettings.Entry
    public var result: Result

    public init(entry: CaptureSettings.Entry, result: Result) {
        self.entry = entry
        self.result = result
    }

    public enum Result: Hashable, Sendable {
        /// As requested. Of `current`, the value that the camera has.
        case set(SettingValue)
        /// To the nearest value that the camera has, in the terms of the request.
        case rounded(to: SettingValue)
        /// Why the camera does not accept it, and what it accepts.
        case refused(String)
    }

    public var description: String {
        switch result {
        case .set(let value): "\(entry.name) is set to \(value)"
        case .rounded(let value): "\(entry) is rounded to \(value)"
        case .refused(let reason): "\(entry) is refused: \(reason)"
        }
    }
}

extension [SettingOutcome] {
    /// The refused entries, each with its reason.
    public var refusals: [SettingOutcome] { filter { if case .refused = $0.result { true } else { false } } }

    /// Whether an entry is set to another value than the requested one.
    public var isRounded: Bool { contains { if case .rounded = $0.result { true } else { false } } }
}
