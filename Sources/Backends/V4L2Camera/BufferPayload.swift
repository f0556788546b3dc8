import CaptureModel
import Video4Linux

/// The location of a frame's pixel data in its buffer. Pure.
enum BufferPayload: Hashable, Sendable {
    /// Packed, in one range of the first memory plane.
    case whole(offset: Int, count: Int)
    /// With unused bytes between rows, or in several memory planes: must be copied to be packed.
    case scattered([BufferPart])
    /// The driver delivered no complete frame.
    case incomplete

    /// - Parameters:
    ///   - structure: The planes of samples; nil for JPEG.
    ///   - layout: The layout that the driver has set.
    ///   - filled: The driver's description of this frame.
    ///   - capacities: Sizes of the mapped memory planes, which can be trusted.
    init(_ structure: PixelStructure?, _ layout: PixelLayout, filled: [FilledPlane], capacities: [Int]) {
        guard let structure else {
            self = Self.compressed(filled, capacities)
            return
        }
        let ends = zip(filled, capacities).map { min($0.end, $1) }
        guard let parts = Self.parts(structure, layout, filled), Self.fit(parts, in: ends) else {
            self = .incomplete
            return
        }
        self = Self.whole(parts) ?? .scattered(parts)
    }

    private static func compressed(_ filled: [FilledPlane], _ capacities: [Int]) -> BufferPayload {
        guard let plane = filled.first, let capacity = capacities.first else { return .incomplete }
        let end = min(plane.end, capacity)
        return plane.offset >= 0 && plane.offset < end
            ? .whole(offset: plane.offset, count: end - plane.offset) : .incomplete
    }

    /// Returns the planes of samples: each in a separate memory plane, or all consecutively in the first. In the latter
    /// case the driver reports the row stride of the first, and the others follow in proportion to their widths.
    private static func parts(
        _ structure: PixelStructure, _ layout: PixelLayout, _ filled: [FilledPlane]
    ) -> [BufferPart]? {
        let (width, height) = (Int(layout.width), Int(layout.height))
        let hasOwnPlanes = layout.planes.count > 1
        guard let first = structure.planes.first, PixelStructure.sides.contains(width),
            PixelStructure.sides.contains(height), let told = layout.planes.first, !filled.isEmpty,
            filled.allSatisfy({ (0...Int(UInt32.max)).contains($0.offset) }),
            !hasOwnPlanes || (layout.planes.count >= structure.planes.count && filled.count >= structure.planes.count)
        else { return nil }
        var next = filled[0].offset
        return structure.planes.enumerated().map { index, plane in
            let rowBytes = plane.rowBytes(width: width)
            let stated =
                hasOwnPlanes
                ? Int(layout.planes[index].bytesPerRow)
                : Int(told.bytesPerRow) * plane.bytes * first.pixels / (plane.pixels * first.bytes)
            let part = BufferPart(
                memoryPlane: hasOwnPlanes ? index : 0, offset: hasOwnPlanes ? filled[index].offset : next,
                rows: plane.rowCount(height: height), rowBytes: rowBytes, stride: max(stated, rowBytes))
            next += part.stride * part.rows
            return part
        }
    }

    private static func fit(_ parts: [BufferPart], in ends: [Int]) -> Bool {
        parts.allSatisfy { part in
            guard let end = part.end, ends.indices.contains(part.memoryPlane) else { return false }
            return end <= ends[part.memoryPlane]
        }
    }

    private static func whole(_ parts: [BufferPart]) -> BufferPayload? {
        guard let first = parts.first, parts.allSatisfy({ $0.isPacked && $0.memoryPlane == 0 }) else { return nil }
        return .whole(offset: first.offset, count: parts.reduce(0) { $0 + $1.packedByteCount })
    }
}

/// Widens a driver's 32-bit frame counter so that it never wraps, and counts the frames it skips.
struct SequenceWidener: Hashable, Sendable {
    private var last: UInt32?
    private var wide: UInt64 = 0

    /// A widened number and the number of frames missing before it.
    struct Step: Hashable, Sendable {
        var sequence: UInt64
        var skipped: UInt64
    }

    /// Processes the counter of the next frame.
    ///
    /// A counter that stands still or runs backwards (by up to half its range) was restarted by the driver. The frame
    /// then counts as the next one, and nothing as skipped.
    mutating func step(to counter: UInt32) -> Step {
        defer { last = counter }
        guard let last else {
            wide = UInt64(counter)
            return Step(sequence: wide, skipped: 0)
        }
        let advance = counter &- last
        let isForward = advance != 0 && advance < 1 << 31
        let skipped = isForward ? UInt64(advance) - 1 : 0
        wide += skipped + 1
        return Step(sequence: wide, skipped: skipped)
    }
}
