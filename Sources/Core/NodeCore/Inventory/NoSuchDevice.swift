/// A text that no device of the machine has.
public struct NoSuchDevice: Error, Hashable, Sendable, CustomStringConvertible {
    public var text: String
    public var titles: [String]

    public var description: String {
        let known = titles.isEmpty ? "it has none" : "it has: \(titles.joined(separator: "; "))"
        return
            "no camera or microphone of this machine matches '\(text)'; \(known); `capagentd --list-devices` shows more"
    }
}
