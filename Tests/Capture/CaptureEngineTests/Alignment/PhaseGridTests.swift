import CaptureModel
import Testing

@testable import CaptureEngine

@Suite("Instants of aligned cameras") struct PhaseGridTests {
    private func grid(_ framesPerSecond: Double) -> PhaseGrid {
        PhaseGrid(interval: .nanoseconds(Int64((1e9 / framesPerSecond).rounded())))
    }

    private func lateness(_ nanoseconds: Int64, _ framesPerSecond: Double) -> Int64 {
        grid(framesPerSecond).lateness(of: RigTime(nanoseconds: nanoseconds)).nanoseconds
    }

    @Test func `An instant is late after the nearest one of the grid and early before it`() {
        #expect(lateness(40_000_000, 25) == 0)
        #expect(lateness(40_000_007, 25) == 7 && lateness(39_999_993, 25) == -7)
        #expect(lateness(59_000_000, 25) == 19_000_000 && lateness(61_000_000, 25) == -19_000_000)
        #expect(lateness(-40_000_007, 25) == -7 && lateness(-39_999_993, 25) == 7)
    }

    @Test func `Cameras of every whole rate share the whole seconds, however long the rig has been running`() {
        let years: Int64 = 10 * 366 * 86_400
        for rate in [1.0, 7, 24, 25, 30, 50, 60, 90, 120, 240, 1000] {
            #expect(lateness(years * 1_000_000_000, rate) == 0, "\(rate)")
        }
        // The instant number 7 of 30 per second is the number 14 of 60.
        #expect(abs(lateness(years * 1_000_000_000 + 233_333_333, 30)) <= 1)
        #expect(abs(lateness(years * 1_000_000_000 + 233_333_333, 60)) <= 1)
    }

    @Test func `The rates of television have their exact fraction, and others their interval`() {
        let hours: Int64 = 1001 * 3600
        #expect(lateness(hours * 1_000_000_000, 30_000 / 1001) == 0)
        #expect(lateness(hours * 1_000_000_000, 60_000 / 1001) == 0)
        #expect(lateness(81_234_567 * 1_000_001, 1e9 / 81_234_567) == 0)
    }

    @Test func `The shortest way to a phase is at most half an interval`() {
        let grid = grid(25)
        #expect(grid.shortest(.milliseconds(30)) == .milliseconds(-10))
        #expect(grid.shortest(.milliseconds(-70)) == .milliseconds(10))
        #expect(grid.shortest(.milliseconds(15)) == .milliseconds(15))
        #expect(grid.shortest(.milliseconds(80)) == .zero)
    }
}
