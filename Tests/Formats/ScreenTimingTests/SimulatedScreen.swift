import CaptureModel
import Glibc

@testable import ScreenTiming

/// A camera that looks at a screen, computed from their hidden properties. Milliseconds.
struct SimulatedScreen {
    var sequence = ScreenSequence(seed: 1)
    /// From the instant of a switch to its light.
    var lag = 0.0
    /// From the light of its first row to that of its last one.
    var scan = 0.0
    /// How much later than the middle of exposure the camera stamps.
    var latency = 0.0
    var exposure = 8.0
    /// From the first row to the last.
    var readout = 0.0
    var interval = 1000.0 / 30
    var phase = 0.0
    var stampJitter = 0.05
    /// Of a cell's mean, in steps of luma.
    var noise = 1.5
    var black = 10.0
    var white = 220.0
    /// The cells that show the screen.
    var rows = 0..<ScreenPicture.rows
    var columns = 2..<12
    var reportsExposure = true
    /// The share of pictures that do not arrive.
    var loss = 0.1

    static let start = 5_000_000.0

    static func time(_ milliseconds: Double) -> RigTime { RigTime(nanoseconds: Int64(milliseconds * 1e6)) }

    /// The screen's own times.
    func switches(seconds: Double) -> [ScreenSwitch] {
        sequence.switches(from: Self.time(Self.start - 2000), to: Self.time(Self.start + seconds * 1000 + 2000))
    }

    func pictures(seconds: Double, seed: UInt64) -> [ScreenPicture] {
        var random = SplitMix64(seed: seed)
        return (0..<Int(seconds * 1000 / interval)).compactMap { index in
            guard random.fraction() >= loss else { return nil }
            let middle = Self.start + phase + Double(index) * interval
            let jitter = (random.fraction() * 2 - 1) * stampJitter
            var cells: [UInt8] = []
            for row in 0..<ScreenPicture.rows {
                let height = (Double(row) + 0.5) / Double(ScreenPicture.rows) - 0.5
                let light = light(at: middle + height * readout - scan * (rows.isEmpty ? 0 : place(ofRow: row)))
                for column in 0..<ScreenPicture.columns {
                    let isScreen = rows.contains(row) && columns.contains(column)
                    // The rest of the picture is gray, with a clock in the corner that changes by itself.
                    let other = row < 2 && column == 0 ? (random.fraction() < 0.5 ? 20.0 : 230) : 90
                    let deviation = (random.fraction() + random.fraction() - 1) * noise * 2.45
                    cells.append(UInt8(min(max((isScreen ? light : other) + deviation, 0), 255)))
                }
            }
            return ScreenPicture(
                midExposure: Self.time(middle + latency + jitter), clockBound: .microseconds(50),
                exposure: reportsExposure ? .microseconds(Int64(exposure * 1000)) : nil, cells: cells)
        }
    }

    /// Where in the screen a row of the picture is: -0.5 in the screen's first row, 0.5 in its last one.
    private func place(ofRow row: Int) -> Double {
        (Double(row - rows.lowerBound) + 0.5) / Double(rows.count) - 0.5
    }

    /// The luma that a row shows whose exposure has its middle at an instant, encoded as sRGB.
    private func light(at middle: Double) -> Double {
        let share = sequence.whiteShare(
            from: Self.time(middle - lag - exposure / 2), to: Self.time(middle - lag + exposure / 2))
        let linear = decoded(black) + share * (decoded(white) - decoded(black))
        return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055)
    }

    private func decoded(_ luma: Double) -> Double {
        let value = luma / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
}

extension SimulatedScreen {
    /// A screen and a camera of which everything is drawn at random.
    static func random(seed: UInt64) -> SimulatedScreen {
        var random = SplitMix64(seed: seed)
        func within(_ least: Double, _ most: Double) -> Double { least + random.fraction() * (most - least) }
        var screen = SimulatedScreen()
        screen.sequence = ScreenSequence(seed: seed)
        screen.lag = within(0, 60)
        screen.latency = within(5, 80)
        screen.exposure = within(2, 30)
        screen.readout = within(0, 30)
        screen.interval = 1000 / [25, 30, 60][Int(random.fraction() * 3)]
        screen.exposure = min(screen.exposure, screen.interval)
        screen.phase = within(0, 1000)
        screen.black = within(5, 40)
        screen.white = within(120, 250)
        screen.reportsExposure = random.fraction() < 0.5
        let top = Int(random.fraction() * 5)
        screen.rows = top..<top + 4 + Int(random.fraction() * 4)
        return screen
    }

    /// - Parameter longestScan: As it is stated for the screen.
    func timing(seconds: Double = 20, seed: UInt64 = 1, longestScan: Duration = .zero) throws -> ScreenTiming {
        try ScreenTimingEstimator(
            switches: switches(seconds: seconds), clockBound: .microseconds(20), scan: longestScan
        ).timing(of: pictures(seconds: seconds, seed: seed))
    }
}

extension Duration {
    var milliseconds: Double { Double(nanoseconds) / 1e6 }
}
