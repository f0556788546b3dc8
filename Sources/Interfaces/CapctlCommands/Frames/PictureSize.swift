internal import ArgumentParser
internal import CaptureModel
internal import RigWire

/// A size as a command line says it: `640x360`.
struct PictureSize: Hashable, ExpressibleByArgument {
    var width: Int
    var height: Int

    init?(argument: String) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (1...65_535).contains(width),
            (1...65_535).contains(height)
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// The largest kind of a camera's pictures that is not above this size; the smallest where all are.
    func kind(of format: VideoFormat) -> FrameKind {
        let kinds: [FrameKind] = [.full, .half, .quarter, .eighth]
        return kinds.first { kind in
            let divisor = kind.divisor ?? 1
            return (format.width + divisor - 1) / divisor <= width && (format.height + divisor - 1) / divisor <= height
        } ?? .eighth
    }
}
