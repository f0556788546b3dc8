import CaptureModel
import RigProtocol

extension FormatOffer {
    init(wire: WireFormatOffer) throws(WireError) {
        let reader = FieldReader("FormatOffer")
        self.init(
            pixelFormat: try reader.word(wire.pixelFormat, "pixel_format", as: PixelFormat.self),
            convertedFrom: wire.hasConvertedFrom ? wire.convertedFrom.sentence(limit: WireLimits.wordByteCount) : nil,
            sizes: [])
        for size in try reader.list(wire.sizes, "sizes", limit: WireLimits.sizes) {
            sizes.append(try SizeOffer(wire: size))
        }
    }

    var wire: WireFormatOffer {
        var wire = WireFormatOffer()
        wire.pixelFormat = pixelFormat.rawValue
        if let convertedFrom { wire.convertedFrom = convertedFrom.sentence(limit: WireLimits.wordByteCount) }
        wire.sizes = sizes.prefix(WireLimits.sizes).map(\.wire)
        return wire
    }
}

extension SizeOffer {
    fileprivate init(wire: WireSizeOffer) throws(WireError) {
        let reader = FieldReader("SizeOffer")
        self.init(
            widths: try PixelRange(wire: try reader.present(wire.hasWidths ? wire.widths : nil, "widths")),
            heights: try PixelRange(wire: try reader.present(wire.hasHeights ? wire.heights : nil, "heights")),
            intervals: [], isMadeToOrder: wire.madeToOrder)
        for interval in try reader.list(wire.intervals, "intervals", limit: WireLimits.intervals) {
            intervals.append(
                IntervalOffer(
                    shortestNanoseconds: try reader.number(interval.shortestNs, "shortest_ns", in: WireLimits.interval),
                    longestNanoseconds: try reader.number(interval.longestNs, "longest_ns", in: WireLimits.interval)))
        }
    }

    fileprivate var wire: WireSizeOffer {
        var wire = WireSizeOffer()
        wire.widths = widths.wire
        wire.heights = heights.wire
        wire.intervals = intervals.prefix(WireLimits.intervals).map { interval in
            var wire = WireIntervalOffer()
            wire.shortestNs = interval.shortestNanoseconds
            wire.longestNs = interval.longestNanoseconds
            return wire
        }
        wire.madeToOrder = isMadeToOrder
        return wire
    }
}

extension PixelRange {
    fileprivate init(wire: WirePixelRange) throws(WireError) {
        let reader = FieldReader("PixelRange")
        // What a driver states need not make sense; it is passed on as it is.
        let range: ClosedRange<Int64> = 0...Int64(UInt32.max)
        self.init(
            Int(try reader.number(wire.smallest, "smallest", in: range)),
            Int(try reader.number(wire.largest, "largest", in: range)),
            step: Int(try reader.number(wire.step, "step", in: 1...Int64(UInt32.max))))
    }

    fileprivate var wire: WirePixelRange {
        var wire = WirePixelRange()
        wire.smallest = UInt32(clamping: smallest)
        wire.largest = UInt32(clamping: largest)
        wire.step = UInt32(clamping: step)
        return wire
    }
}

extension WireLimits {
    /// Time from frame to frame that a device offers: whatever is positive.
    static let interval: ClosedRange<Int64> = 1...Int64.max
}
