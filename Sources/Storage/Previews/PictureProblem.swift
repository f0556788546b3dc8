/// Why no small picture can be made of a file. Another attempt would have the same result.
public struct PictureProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
