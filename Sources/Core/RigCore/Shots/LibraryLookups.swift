import CaptureModel

/// Bounds the look-ups of shots for clients, which wait for the disk. A look-up counts until the disk has answered, whether its client still
/// waits or not. A value.
struct LibraryLookups: Sendable {
    /// Limit on concurrent look-ups. Beyond it, they are refused.
    static let limit = 256

    private var underWay = 0

    /// The number of look-ups in progress.
    var count: Int { underWay }

    /// - Throws: `noMemory` if too many are in progress.
    mutating func begin() throws(RigProblem) {
        guard underWay < Self.limit else {
            throw RigProblem(
                .noMemory, "\(Self.limit) other requests already wait for the library's disk; try again in a moment")
        }
        underWay += 1
    }

    mutating func end() { underWay -= 1 }
}
