import CameraKit
import CaptureModel
import RigConfiguration
import Testing

@testable import GPhotoCamera

@Suite("gphoto camera: times")
struct StillStampsTests {
    private let start = LocalTime(nanoseconds: 10_000_000_000)

    private func event(_ milliseconds: Int, since: Int) -> CardEvent {
        CardEvent(
            file: CardFile(folder: "/", name: "1.JPG", byteCount: 1), since: start + .milliseconds(since),
            instant: start + .milliseconds(milliseconds))
    }

    private func stamps(_ lag: Duration? = nil, _ correction: StampCorrection = .init()) -> StillStamps {
        StillStamps(correction: correction, lag: lag, largestLatency: .milliseconds(1000))
    }

    @Test("Without a lag, the bound reaches from the request to the file")
    func plain() {
        let stamp = stamps().stamp(requested: start, event(400, since: 380))
        #expect(stamp == FrameStamp(midExposure: start + .milliseconds(200), bound: .milliseconds(200)))
    }

    @Test("A lag moves the instant, and the bound still reaches to the farther end")
    func lag() {
        let stamp = stamps(.milliseconds(100)).stamp(requested: start, event(400, since: 380))
        #expect(stamp == FrameStamp(midExposure: start + .milliseconds(100), bound: .milliseconds(300)))
    }

    @Test("A measured uncertainty is the bound")
    func uncertainty() {
        let correction = StampCorrection(latencyOffset: .milliseconds(5), uncertainty: .milliseconds(20))
        let stamp = stamps(.milliseconds(100), correction).stamp(requested: start, event(400, since: 380))
        #expect(stamp == FrameStamp(midExposure: start + .milliseconds(105), bound: .milliseconds(20)))
    }

    @Test("A lag that cannot be true is not believed")
    func contradiction() {
        let correction = StampCorrection(uncertainty: .milliseconds(20))
        let stamp = stamps(.milliseconds(500), correction).stamp(requested: start, event(400, since: 380))
        #expect(stamp == FrameStamp(midExposure: start + .milliseconds(200), bound: .milliseconds(200)))
    }

    @Test("A lag that is just possible keeps its bound about the possible instants")
    func edge() {
        let correction = StampCorrection(uncertainty: .milliseconds(20))
        let stamp = stamps(.milliseconds(410), correction).stamp(requested: start, event(400, since: 380))
        #expect(stamp == FrameStamp(midExposure: start + .milliseconds(400), bound: .milliseconds(30)))
    }

    @Test("A wired picture was exposed within the largest latency before its file, whenever that was noticed")
    func wired() {
        let stamp = stamps().stamp(wired: event(400, since: 300))
        #expect(stamp == FrameStamp(midExposure: start - .milliseconds(150), bound: .milliseconds(550)))
        let correction = StampCorrection(latencyOffset: .milliseconds(-250), uncertainty: .milliseconds(60))
        let measured = stamps(nil, correction).stamp(wired: event(400, since: 300))
        #expect(measured == FrameStamp(midExposure: start + .milliseconds(150), bound: .milliseconds(60)))
    }
}
