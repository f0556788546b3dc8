import CaptureModel
import Glibc

/// What a change of one control does to the brightness of the pictures.
struct ExpectedStep: Hashable, Sendable {
    var isBrighter: Bool
    /// The least and the greatest size, as a logarithm of light; nil for a control without a unit.
    var size: ClosedRange<Double>?

    fileprivate var sign: Double { isBrighter ? 1 : -1 }
}

extension ExpectedStep {
    /// How much smaller or larger the step of linearized pictures may be than that of the light: the tone curve is not
    /// known. A camera whose pictures are in proportion to light shows 2.4 times the step.
    private static let toneCurves = 0.4...2.6
    /// Controls of which a greater value makes pictures brighter, by an unknown factor.
    private static let gains: Set = [CaptureControls.gain, "analogue_gain", "exposure"]

    /// Returns nil unless exactly one control changes, and it is one of exposure time or gain.
    /// - Parameter interval: Time from frame to frame, to which cameras cut exposures.
    init?(_ changes: [ControlChange], interval: Duration) {
        let changed = changes.filter(\.isChange)
        guard changed.count == 1, let change = changed.first, let old = change.old else { return nil }
        isBrighter = change.new > old
        if Self.gains.contains(change.control) { return }
        guard StatedChange.isExposure(change.control), min(old, change.new) > 0 else { return nil }
        let times = [old, change.new].compactMap { StatedChange.exposures(of: [change.with($0)]).first?.seconds }
        guard times.count == 2 else { return nil }
        let cut = times.map { min($0, interval.seconds) }
        let (least, most) = (abs(log(cut[1] / cut[0])), abs(log(times[1] / times[0])))
        guard least > 0 else { return nil }
        size = least * Self.toneCurves.lowerBound...most * Self.toneCurves.upperBound
    }
}

extension ControlChange {
    /// The same control with one value.
    fileprivate func with(_ value: Int64) -> ControlChange { ControlChange(control: control, old: value, new: value) }
}

/// Finds the frames between which the brightness of the pictures has changed as one control was told to. A value without a
/// clock.
///
/// The light of a frame is the median, over a grid of cells, of the logarithm of the cell's linearized luma to its mean in the
/// frames before. Cells that are clipped or too dark say nothing. The noise is the largest deviation of the frames before.
/// A step is claimed only if
///
/// - every frame is at the level before, at a level after, or between them in time, and the bands of noise around the
///   two levels do not touch;
/// - it has the direction, and about the size, that was asked for;
/// - seven tenths of the cells have changed alike, as they do by exposure and gain, and do not if the scene changes;
/// - the level after holds for ``settledFrames`` frames, and the pictures were watched for ``leastAfter`` frames, within which
///   nothing else has changed.
///
/// If noise does not separate single frames, means of 2, 3 and 4 frames are compared. Then as many frames more are
/// undecided on both sides.
struct PixelStep: Sendable {
    static let columns = 8
    static let rows = 6
    /// The frames before the change that are compared, at least and at most.
    static let leastBefore = 8
    static let mostBefore = 24
    /// The frames after the acceptance that are watched at least: more than a camera is known to be late.
    static let leastAfter = 12
    static let settledFrames = 3

    /// Half the width of a level's band without noise: what the steps of 8 bits and of JPEG leave of 48 cells.
    private static let leastTolerance = 0.003
    /// Mean values of cells, 0 to 255, that tell brightness.
    private static let usable = 8.0...247.0
    private static let leastCells = columns * rows / 4
    /// How many tenths of the cells must change alike, and how much these may differ: as a part of the step, and in
    /// addition.
    private static let evenPart = 7
    private static let unevenness = (part: 0.3, rest: 0.006)
    /// The part of a step that lies between the last old and the first new frames. Of slow changes, it does not.
    private static let sharpness = 0.7
    private static let scales = 1...4

    struct Claim: Hashable, Sendable {
        var lastOld: FrameFacts
        var firstNew: FrameFacts
    }

    private struct Sample: Sendable {
        var frame: FrameFacts
        /// Logarithms to the reference, of the usable cells.
        var ratios: [Double]
        var light: Double
    }

    let expected: ExpectedStep
    private var gridsBefore: [(frame: FrameFacts, grid: SceneGrid)] = []
    private var reference: Reference?
    private var before: [Sample] = []
    private var after: [Sample] = []

    init(_ expected: ExpectedStep) {
        self.expected = expected
    }

    /// Adds a frame that surely has the old value. No frame ``add(_:_:)`` has been added.
    mutating func addBefore(_ frame: FrameFacts, _ grid: SceneGrid) {
        gridsBefore.append((frame, grid))
        if gridsBefore.count > Self.mostBefore { gridsBefore.removeFirst() }
    }

    /// Adds a frame that may have the new value. In order; frames may be missing.
    mutating func add(_ frame: FrameFacts, _ grid: SceneGrid) {
        if reference == nil {
            let reference = Reference(gridsBefore.map(\.grid))
            before = gridsBefore.map { sample($0.frame, $0.grid, reference) }
            (self.reference, gridsBefore) = (reference, [])
        }
        if let reference { after.append(sample(frame, grid, reference)) }
    }

    private func sample(_ frame: FrameFacts, _ grid: SceneGrid, _ reference: Reference) -> Sample {
        let ratios = reference.ratios(of: grid)
        return Sample(frame: frame, ratios: ratios, light: ratios.median ?? 0)
    }

    // MARK: Claims

    /// The step, if the frames so far show one beyond doubt.
    /// - Parameter accepted: The number of the first frame after the acceptance.
    func claim(accepted: UInt64) -> Claim? {
        guard before.count >= Self.leastBefore, let reference, reference.cells.count >= Self.leastCells,
            let newest = after.last?.frame.sequence, newest >= accepted + UInt64(Self.leastAfter)
        else { return nil }
        let middle = before.map(\.light).median ?? 0
        let series = (before + after).map { ($0.light - middle) * expected.sign }
        // What moves the other way is not this change, and may hide it.
        let noise = Self.tolerance(series.prefix(before.count).map(abs), of: before.count)
        guard series.allSatisfy({ $0 >= -noise }) else { return nil }
        for width in Self.scales where before.count >= 4 * width + 4 {
            guard let found = step(in: series, width) else { continue }
            return isLikeExposure(found) ? claim(found) : nil
        }
        return nil
    }

    /// Places in the frames before and after together.
    private struct Step {
        var lastOld: Int
        var firstNew: Int
        var size: Double
    }

    private func step(in series: [Double], _ width: Int) -> Step? {
        // A block is the mean of `width` frames.
        let blocks = (0...series.count - width).map { series[$0..<$0 + width].reduce(0, +) / Double(width) }
        let old = blocks[...(before.count - width)]
        let tolerance = Self.tolerance(old.map(abs), of: before.count)
        guard let away = blocks.firstIndex(where: { abs($0) > tolerance }), away > before.count - width,
            blocks[away] > 0
        else { return nil }
        // The blocks that cannot contain an old frame if `away` is the first one with a new frame.
        let plateau = blocks[min(away + width - 1, blocks.count)...]
        guard plateau.count >= Self.settledFrames, let level = Array(plateau).median else { return nil }
        let late = plateau.suffix(max(plateau.count / 2, Self.settledFrames)).map { abs($0 - level) }
        let width2 = max(Self.tolerance(late, of: before.count), tolerance)
        guard level - width2 > tolerance else { return nil }
        let settled = blocks.lastIndex { abs($0 - level) > width2 }.map { $0 + 1 } ?? 0
        guard settled >= away, blocks.count - settled >= Self.settledFrames else { return nil }
        // The block before `away` has an old frame at its beginning, or it would be at the level after; the block
        // `settled` has a new one at its end.
        let found = Step(lastOld: away - 1, firstNew: settled + width - 1, size: level)
        return isSharp(found, series) ? found : nil
    }

    private static func tolerance(_ deviations: [Double], of frames: Int) -> Double {
        // Few frames do not show the largest deviations.
        max((deviations.max() ?? 0) * (frames < 16 ? 4 : 3), leastTolerance)
    }

    private func isSharp(_ step: Step, _ series: [Double]) -> Bool {
        let old = series[max(step.lastOld - 2, 0)...step.lastOld]
        let new = series[step.firstNew..<min(step.firstNew + 3, series.count)]
        let jump = new.reduce(0, +) / Double(new.count) - old.reduce(0, +) / Double(old.count)
        return jump >= Self.sharpness * step.size
    }

    private func isLikeExposure(_ step: Step) -> Bool {
        if let size = expected.size, !size.contains(step.size) { return false }
        return (before + after)[step.firstNew...].allSatisfy { isEven($0, step.size) }
    }

    /// Whether most cells have changed alike.
    private func isEven(_ sample: Sample, _ size: Double) -> Bool {
        let spread = sample.ratios.map { abs($0 - sample.light) }.sorted()[sample.ratios.count * Self.evenPart / 10]
        return spread <= Self.unevenness.part * size + Self.unevenness.rest
    }

    private func claim(_ step: Step) -> Claim {
        let samples = before + after
        return Claim(lastOld: samples[step.lastOld].frame, firstNew: samples[step.firstNew].frame)
    }
}

extension PixelStep {
    /// The cells that tell brightness, and their light in the frames before.
    private struct Reference: Sendable {
        var cells: [(index: Int, light: Double)] = []

        init(_ grids: [SceneGrid]) {
            guard let first = grids.first else { return }
            for index in first.cells.indices {
                let values = grids.map { $0.cells[index] }
                guard values.allSatisfy(PixelStep.usable.contains) else { continue }
                cells.append((index, values.reduce(0) { $0 + PixelStep.linear($1) } / Double(values.count)))
            }
        }

        func ratios(of grid: SceneGrid) -> [Double] {
            cells.map { log(max(PixelStep.linear(grid.cells[$0.index]), 1e-5) / $0.light) }
        }
    }

    /// Returns the light of a value from 0 to 255 as IEC 61966-2-1 encodes it.
    private static func linear(_ value: Double) -> Double {
        let encoded = value / 255
        return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
    }
}

extension [Double] {
    /// The upper median; nil for an empty list.
    fileprivate var median: Double? { isEmpty ? nil : sorted()[count / 2] }
}
