import CaptureModel

/// Bounds the look-ups of shots for clients, which wait for the disk. A look-up counts until the disk has answered, whether its client still
/// waits or not. A value.
struct LibraryLookups: Sendable {
    /// Limit on concurrent look-ups. Beyond it, they are refused.
    static let limit = 256

    private(set) var count = 0

    /// - Throws: `noMemory` if too many are in progress.
    mutating func begin() throws(RigProblem) {
        guard count < Self.limit else {
            throw RigProblem(
                .noMemory, "\(Self.limit) other requests already wait for the library's disk; try again in a moment")
        }
        count += 1
    }

    mutating func end() { count -= 1 }
}
