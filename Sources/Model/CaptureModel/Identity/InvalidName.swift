/// A text that is not a valid ``Name``.
public struct InvalidName: Error, Hashable, CustomStringConvertible {
    public var subject: String
    public var text: String

    public var description: String {
        "'\(text)' cannot be a \(subject) name: use 1 to 24 of a-z, 0-9, '-' and '_', starting with a letter or digit"
    }
}
