import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

@Suite("Vertical blanking of a sensor") struct FrameBlankingTests {
    /// 1280 × 720 of a sensor with lines of 20 µs: 1500 of them are 30 ms.
    private let format = VideoFormat(
        pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .milliseconds(30))

    private func blanking(_ change: (inout [UInt32: Int64]) -> Void = { _ in }) throws -> FrameBlanking? {
        let sensor = Sensor()
        change(&sensor.values)
        return try FrameBlanking(of: sensor, format)
    }

    @Test func `Lines make frames longer, and shorter as far as the exposure leaves room`() throws {
        let blanking = try #require(try blanking())
        #expect(blanking.lines == 780 && blanking.steps.step == .microseconds(20))
        // 1000 lines of exposure and 24 need 304 lines of blanking; a frame is at most twice as long.
        #expect(blanking.steps.range == .microseconds(-76_160)...Duration.milliseconds(240))
        let dark = try #require(try self.blanking { $0[VideoControl.exposureLines] = 1490 })
        #expect(dark.steps.range.lowerBound == .zero)
        let unknown = try #require(try self.blanking { $0[VideoControl.exposureLines] = nil })
        #expect(unknown.steps.range.lowerBound == .zero)
    }

    @Test func `A move changes a few frames by as few lines as possible`() throws {
        let blanking = try #require(try blanking())
        for (shift, lines, frames) in [(20, 1, 1), (-60, -1, 3), (160, 1, 8), (1000, 6, 8), (-8000, -50, 8)]
            as [(Int64, Int64, Int)]
        {
            let plan = blanking.plan(.microseconds(shift))
            #expect(plan.lines == lines && plan.frames == frames, "\(shift)")
        }
    }

    @Test func `The value is kept within the range of the control, and put back`() throws {
        let sensor = Sensor()
        let blanking = try #require(try FrameBlanking(of: sensor, format))
        try blanking.set(50, on: sensor)
        #expect(sensor.values[VideoControl.verticalBlanking] == 830)
        try blanking.set(-10_000, on: sensor)
        #expect(sensor.values[VideoControl.verticalBlanking] == 40)
        try blanking.set(0, on: sensor)
        #expect(sensor.values[VideoControl.verticalBlanking] == 780)
    }

    @Test func `A device without these controls, or whose frames last longer than they say, is not moved by them`()
        throws
    {
        for control in [VideoControl.verticalBlanking, VideoControl.horizontalBlanking, VideoControl.pixelRate] {
            #expect(try blanking { $0[control] = nil } == nil)
        }
        #expect(try blanking { $0[VideoControl.verticalBlanking] = 1600 } == nil)
        #expect(try blanking { $0[VideoControl.pixelRate] = 0 } == nil)
        #expect(try blanking { $0[VideoControl.horizontalBlanking] = -1280 } == nil)
    }
}

/// The controls of a sensor, as its driver states them.
private final class Sensor: ControlAccess {
    var values: [UInt32: Int64] = [
        VideoControl.verticalBlanking: 780, VideoControl.horizontalBlanking: 320,
        VideoControl.pixelRate: 80_000_000, VideoControl.exposureLines: 1000,
    ]

    func controls() throws(VideoError) -> [VideoControl] {
        values.keys.sorted().map { id in
            let isRate = id == VideoControl.pixelRate
            return VideoControl(
                id: id, name: "\(id)", kind: isRate ? .integer64 : .integer, minimum: isRate ? 0 : 40, maximum: 65_000,
                isWritable: !isRate)
        }
    }

    func control(_ id: UInt32) throws(VideoError) -> VideoControl? { try controls().first { $0.id == id } }
    func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem] { [] }
    func value(of control: VideoControl) throws(VideoError) -> Int64 { values[control.id] ?? 0 }

    func setValues(_ assignments: [ControlAssignment]) throws(VideoError) {
        for assignment in assignments { values[assignment.control.id] = assignment.value }
    }
}
