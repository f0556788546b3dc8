/// The property of a HEIF file that is not supported.
public struct HEIFProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = "the HEIF file cannot be used: \(description)"
    }
}
