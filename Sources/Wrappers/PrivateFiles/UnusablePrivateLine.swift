/// Why a file with a secret cannot be used: which, why, and what to do.
public struct UnusablePrivateLine: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(description: String) {
        self.description = description
    }
}
