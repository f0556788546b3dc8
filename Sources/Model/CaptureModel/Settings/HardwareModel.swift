/// What a camera says that it is.
public struct HardwareModel: Hashable, Sendable, CustomStringConvertible {
    public var make: String?
    public var model: String?

    public init(make: String?, model: String?) {
        self.make = make
        self.model = model
    }

    /// Whether it says nothing, or it is not known.
    public var isUnknown: Bool { make == nil && model == nil }

    public var description: String {
        isUnknown ? "a camera of unknown model" : "a \([make, model].compactMap { $0 }.joined(separator: " "))"
    }
}
