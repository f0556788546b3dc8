import CaptureModel
import Glibc

/// Finds how late the stamps of a camera are, from pictures of a screen whose switches are known. Pure.
///
/// 1. *Search*: of all delays in steps of 4 ms, the one with which the brightness of the pictures follows the screen best.
/// 2. *Area*: the cells of the picture that follow it, and what is black and white there.
/// 3. *Fit*: near a switch, a row's brightness is the share of its exposure with a white screen, raised to an exponent for
///    the camera's tone curve. Delay, exposure, exponent, and the time from the first row to the last are those with the
///    least squares. A wrong tone curve moves switches to white and to black in opposite directions, and both are equally
///    frequent, so it does not move the delay.
/// 4. *Error*: all delays that explain the pictures nearly as well. If a short exposure never meets a switch, these are
///    the delays between the last picture before and the first one after it.
public struct ScreenTimingEstimator: Sendable {
    static let neededPictures = 60
    static let neededSwitches = 12
    /// The least difference between black and white, in steps of luma.
    private static let leastContrast = 24.0
    /// Corrections that are searched, in milliseconds. A stamp may be late by the latency of a network camera.
    private static let searched = (from: -1700.0, to: 400.0, step: 4.0)
    /// How far from a switch a sample may be to tell of it, in milliseconds. No two switches are within twice of this.
    private static let reach = 80.0

    private let switches: [ScreenSwitch]
    private let clockBound: Duration
    private let scan: Duration

    /// - Parameters:
    ///   - switches: Of the screen, in order, from two seconds before the first picture to two seconds after the last one.
    ///   - clockBound: The largest error of their times.
    ///   - scan: The longest time in which the screen builds its picture, from the top to the bottom.
    public init(switches: [ScreenSwitch], clockBound: Duration, scan: Duration = .zero) {
        self.switches = switches
        self.clockBound = clockBound
        self.scan = scan
    }

    /// - Parameter pictures: Of one camera, in order.
    /// - Throws: ``ScreenTimingProblem``
    public func timing(of pictures: [ScreenPicture]) throws(ScreenTimingProblem) -> ScreenTiming {
        guard let first = pictures.first, pictures.count >= Self.neededPictures else {
            throw .tooFewPictures(pictures.count)
        }
        try Self.requireEqualExposures(pictures)
        let times = pictures.map { Self.milliseconds($0.midExposure - first.midExposure) }
        let screen = SwitchTimes(switches.map { (Self.milliseconds($0.time - first.midExposure), $0.isWhite) })
        let spans = try CellSpan.all(of: pictures)
        let near = Self.search(times, Self.signal(pictures, spans), screen)
        let area = ScreenArea(pictures, times, spans, screen, shift: near.shift, reach: Self.reach)
        guard !area.rows.isEmpty else { throw .otherScreen }
        let found = Self.search(times, area.signal(of: pictures), screen)
        guard found.cost < 0.15 else { throw .otherScreen }
        guard found.next > found.cost * 1.5, abs(found.shift - near.shift) < Self.reach else { throw .ambiguous }
        let samples = area.samples(of: pictures, times, screen, shift: found.shift, reach: Self.reach)
        let seen = Set(samples.map(\.number)).count
        guard seen >= Self.neededSwitches else { throw .tooFewSwitches(seen) }
        let fit = SwitchFit(
            samples, exposure: pictures.compactMap(\.exposure).max().map { Self.milliseconds($0) })
        let clocks = pictures.map(\.clockBound).max() ?? .zero
        // Of one row alone, it is not known how long it is exposed before or after the middle one: a frame at most.
        let unknownRows = fit.rows == nil ? abs(area.height) * Self.interval(of: times) : 0
        return ScreenTiming(
            correction: Self.duration(found.shift + fit.shift), fit: Self.duration(fit.shiftError + unknownRows),
            jitter: Self.duration(fit.jitter), clock: clocks + clockBound, blur: Self.duration(fit.blur),
            rows: fit.rows.map { Self.duration($0) }, rowsError: Self.duration(fit.rowsError),
            pictures: pictures.count, switches: seen, area: area.share,
            scan: Self.duration(Self.milliseconds(scan) * area.offCenter))
    }

    private static func requireEqualExposures(_ pictures: [ScreenPicture]) throws(ScreenTimingProblem) {
        let exposures = pictures.compactMap(\.exposure)
        guard let least = exposures.min(), let most = exposures.max() else { return }
        guard most - least <= max(most / 50, .microseconds(200)) else {
            throw .exposureChanged(from: least, to: most)
        }
    }

    /// Returns the brightness of each picture, 0 to 1, in the cells with much contrast.
    private static func signal(_ pictures: [ScreenPicture], _ spans: [CellSpan?]) -> [Double] {
        pictures.map { picture in
            var (sum, count) = (0.0, 0.0)
            for (cell, span) in spans.enumerated() {
                guard let span else { continue }
                sum += min(max((Double(picture.cells[cell]) - span.black) / (span.white - span.black), 0), 1)
                count += 1
            }
            return count > 0 ? sum / count : 0
        }
    }

    /// Returns the correction that explains a signal best, its cost, and the least cost of those that are not near it. The
    /// cost is the mean square of what is not explained.
    private static func search(
        _ times: [Double], _ signal: [Double], _ screen: SwitchTimes
    ) -> (shift: Double, cost: Double, next: Double) {
        let count = Int((searched.to - searched.from) / searched.step)
        let costs = (0...count).map { index in
            let shift = searched.from + Double(index) * searched.step
            var (place, sum) = (0, 0.0)
            for (time, value) in zip(times, signal) {
                let miss = value - (screen.isWhite(at: time + shift, from: &place) ? 1 : 0)
                sum += miss * miss
            }
            return sum / Double(times.count)
        }
        let best = costs.indices.min { costs[$0] < costs[$1] } ?? 0
        let apart = Int(100 / searched.step)
        let next = costs.indices.filter { abs($0 - best) > apart }.map { costs[$0] }.min() ?? .infinity
        return (searched.from + Double(best) * searched.step, costs[best], next)
    }

    /// Returns the median time between pictures, of which few are missing.
    private static func interval(of times: [Double]) -> Double {
        zip(times.dropFirst(), times).map { $0 - $1 }.sorted()[(times.count - 1) / 2]
    }

    private static func milliseconds(_ duration: Duration) -> Double { Double(duration.nanoseconds) / 1e6 }

    private static func duration(_ milliseconds: Double) -> Duration {
        .nanoseconds(Int64((milliseconds * 1e6).rounded()))
    }

    /// What is dark and bright in a cell, by its own pictures.
    fileprivate struct CellSpan {
        var black: Double
        var white: Double

        /// Returns the spans of the cells with at least a quarter of the largest contrast; nil for the others.
        static func all(of pictures: [ScreenPicture]) throws(ScreenTimingProblem) -> [CellSpan?] {
            let spans = (0..<ScreenPicture.rows * ScreenPicture.columns).map { cell in
                let sorted = pictures.map { Double($0.cells[cell]) }.sorted()
                return CellSpan(black: sorted[sorted.count / 10], white: sorted[sorted.count * 9 / 10])
            }
            let most = spans.map(\.contrast).max() ?? 0
            guard most >= leastContrast else {
                if spans.allSatisfy({ $0.black > 200 }) { throw .tooBright }
                throw spans.allSatisfy { $0.white < 40 } ? .tooDark : .screenNotSeen
            }
            return spans.map { $0.contrast >= max(most / 4, leastContrast / 2) ? $0 : nil }
        }

        var contrast: Double { white - black }
    }
}

/// The switches in milliseconds.
private struct SwitchTimes {
    let all: [(time: Double, isWhite: Bool)]

    init(_ all: [(Double, Bool)]) { self.all = all }

    /// - Parameter place: How many switches were before the instant asked last, of instants that ascend.
    func isWhite(at time: Double, from place: inout Int) -> Bool {
        while place < all.count, all[place].time <= time { place += 1 }
        return place > 0 ? all[place - 1].isWhite : !(all.first?.isWhite ?? true)
    }

    /// Returns the nearest switch; nil if there is none within a distance.
    /// - Parameter place: As above.
    func nearest(to time: Double, within reach: Double, from place: inout Int) -> Int? {
        while place < all.count, all[place].time <= time { place += 1 }
        return [place - 1, place].filter { all.indices.contains($0) && abs(all[$0].time - time) <= reach }
            .min { abs(all[$0].time - time) < abs(all[$1].time - time) }
    }
}

/// The cells that show the screen.
private struct ScreenArea {
    /// By row of the picture: the cells, and the sums of their black and white.
    let rows: [(row: Int, cells: [Int], black: Double, white: Double)]
    let share: Double

    init(
        _ pictures: [ScreenPicture], _ times: [Double], _ spans: [ScreenTimingEstimator.CellSpan?],
        _ screen: SwitchTimes, shift: Double, reach: Double
    ) {
        var (white, black) = ([Int](), [Int]())
        var places = (0, 0)
        for (index, time) in times.enumerated() {
            guard screen.nearest(to: time + shift, within: reach, from: &places.0) == nil else { continue }
            if screen.isWhite(at: time + shift, from: &places.1) { white.append(index) } else { black.append(index) }
        }
        func level(_ cell: Int, _ indices: [Int]) -> (mean: Double, deviation: Double) {
            let values = indices.map { Double(pictures[$0].cells[cell]) }
            let mean = values.reduce(0, +) / Double(values.count)
            let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
            return (mean, square.squareRoot())
        }
        var rows: [(row: Int, cells: [Int], black: Double, white: Double)] = []
        guard white.count >= 8, black.count >= 8 else {
            (self.rows, share) = ([], 0)
            return
        }
        for row in 0..<ScreenPicture.rows {
            var found: (cells: [Int], black: Double, white: Double) = ([], 0, 0)
            for cell in row * ScreenPicture.columns..<(row + 1) * ScreenPicture.columns {
                guard spans[cell] != nil else { continue }
                let (dark, bright) = (level(cell, black), level(cell, white))
                let contrast = bright.mean - dark.mean
                // What changes by itself, such as a clock in the picture, is not the screen.
                guard contrast > 12, max(dark.deviation, bright.deviation) < contrast / 5 else { continue }
                found.cells.append(cell)
                found.black += dark.mean
                found.white += bright.mean
            }
            if !found.cells.isEmpty { rows.append((row, found.cells, found.black, found.white)) }
        }
        self.rows = rows
        share =
            Double(rows.reduce(0) { $0 + $1.cells.count }) / Double(ScreenPicture.rows * ScreenPicture.columns)
    }

    /// Of the middle of its rows: -0.5 at the top of the picture, 0.5 at the bottom.
    var height: Double {
        guard let first = rows.first?.row, let last = rows.last?.row else { return 0 }
        return Double(first + last + 1) / 2 / Double(ScreenPicture.rows) - 0.5
    }

    /// How far the middle of the picture may be from that of the screen, in heights of the screen. An edge of the screen is within a row
    /// of the end of the area, or out of the picture.
    var offCenter: Double {
        guard let first = rows.first?.row, let last = rows.last?.row else { return 0 }
        let tops = [Double(first) + 1, first > 0 ? Double(first) - 1 : -.infinity]
        let bottoms = [Double(last), last < ScreenPicture.rows - 1 ? Double(last) + 2 : .infinity]
        let distances = tops.flatMap { top in
            bottoms.map { bottom in
                guard top.isFinite, bottom.isFinite else { return 0.5 }
                return abs((Double(ScreenPicture.rows) / 2 - top) / max(bottom - top, 0.25) - 0.5)
            }
        }
        return distances.max() ?? 0
    }

    /// Returns the brightness of each picture, 0 to 1.
    func signal(of pictures: [ScreenPicture]) -> [Double] {
        pictures.map { picture in
            rows.reduce(0) { $0 + min(max(brightness($1, picture), 0), 1) } / Double(rows.count)
        }
    }

    /// Returns the brightness of each row near a switch.
    func samples(
        of pictures: [ScreenPicture], _ times: [Double], _ screen: SwitchTimes, shift: Double, reach: Double
    ) -> [SwitchSample] {
        var (samples, place) = ([SwitchSample](), 0)
        for (index, time) in times.enumerated() {
            guard let number = screen.nearest(to: time + shift, within: reach, from: &place) else { continue }
            for row in rows {
                samples.append(
                    SwitchSample(
                        picture: index, number: number, isWhite: screen.all[number].isWhite,
                        height: (Double(row.row) + 0.5) / Double(ScreenPicture.rows) - 0.5,
                        after: time + shift - screen.all[number].time, brightness: brightness(row, pictures[index])))
            }
        }
        return samples
    }

    private func brightness(
        _ row: (row: Int, cells: [Int], black: Double, white: Double), _ picture: ScreenPicture
    ) -> Double {
        (row.cells.reduce(0) { $0 + Double(picture.cells[$1]) } - row.black) / (row.white - row.black)
    }
}
