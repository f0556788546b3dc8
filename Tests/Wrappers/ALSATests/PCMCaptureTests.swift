import Glibc
import Testing

@testable import ALSA

/// libasound's own device `null` needs no hardware: it is always ready and delivers zeros.
@Suite(.timeLimit(.minutes(10))) struct PCMCaptureTests {
    @Test("Sets a device as requested")
    func negotiates() throws {
        let pcm = try PCMCapture(device: "null", wish: PCMRequest(rate: 44_100, channels: 2))
        #expect(pcm.parameters.rate == 44_100 && pcm.parameters.channels == 2)
        #expect(pcm.parameters.periodFrames > 0 && pcm.parameters.bufferFrames >= pcm.parameters.periodFrames)
        let free = try PCMCapture(device: "null")
        #expect(
            free.parameters.rate == PCMRequest.preferredRate && free.parameters.channels == PCMRequest.preferredChannels
        )
    }

    @Test("Counts each sample once, with its time")
    func reads() throws {
        let pcm = try PCMCapture(device: "null", wish: PCMRequest(rate: 48_000, channels: 2))
        try pcm.start()
        var position: UInt64 = 0
        var earlier: Int64 = 0
        for _ in 0..<3 {
            let readiness = try pcm.wait(orReadable: -1)
            #expect(readiness.isReadable && !readiness.isWoken)
            let block = try #require(try pcm.read())
            #expect(block.position == position && block.lostFrames == 0)
            #expect(block.samples.count.isMultiple(of: 2) && !block.samples.isEmpty)
            #expect(block.samples.allSatisfy { $0 == 0 })
            position += UInt64(block.samples.count / 2)
            #expect(block.firstFrameNanoseconds > earlier)
            earlier = block.firstFrameNanoseconds
            #expect(abs(monotonicNanoseconds() - earlier) < 10_000_000_000, "a stamp of another clock")
        }
        #expect(pcm.interruptions == 0 && !pcm.isAsleep)
    }

    @Test("Names a device that is absent or unsuitable, and says what to do")
    func refusals() throws {
        let absent = #expect(throws: ALSAError.self) { _ = try PCMCapture(device: "hw:CARD=Nowhere,DEV=0") }
        #expect([ENODEV, ENOENT].contains(absent?.errorNumber))
        let sentence = absent?.description ?? ""
        #expect(sentence.contains("arecord -L"))
        let misspelt = #expect(throws: ALSAError.self) { _ = try PCMCapture(device: "there is no such thing") }
        let name = misspelt?.description ?? ""
        #expect(name.contains("there is no such thing"))
        let channels = #expect(throws: ALSAError.self) {
            _ = try PCMCapture(device: "null", wish: PCMRequest(channels: 1_000_000))
        }
        let wish = channels?.description ?? ""
        #expect(wish.contains("1000000 channels are not within"))
    }

    @Test(
        "What a person has to do about a refusal is not said",
        arguments: [
            (EBUSY, "fuser"), (EACCES, "group `audio`"), (ENODEV, "plug"), (EIO, "cable"),
        ])
    func advice(_ errorNumber: Int32, _ words: String) {
        let error = ALSAError(errorNumber: errorNumber, operation: "snd_pcm_open", device: "hw:0,0")
        #expect(error.description.contains("hw:0,0: snd_pcm_open: "))
        #expect(error.description.contains(words))
    }

    @Test("Refuses a name with a zero byte or of any excessive length")
    func hostileNames() {
        for name in ["", "hw:", "hw:\0", String(repeating: "x", count: 100_000), "hw:99999999999999999999", "plug:{"] {
            #expect(throws: ALSAError.self) { _ = try PCMCapture(device: name) }
        }
    }

    private func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

@Suite struct PCMTimelineTests {
    @Test("Counts consecutive frames as complete in spite of jitter")
    func continuous() {
        let timeline = TimelineBox(rate: 48_000)
        #expect(timeline.place(480, 1_000_000_000) == (0, 0))
        #expect(timeline.place(480, 1_012_000_000) == (480, 0))
        #expect(timeline.place(480, 1_019_000_000) == (960, 0))
    }

    @Test("Reports how many frames an overrun has cost")
    func overrun() {
        let timeline = TimelineBox(rate: 48_000)
        _ = timeline.place(480, 1_000_000_000)
        timeline.noteOverrun()
        // The frame after the first 480 was due at 1.010 s; this one comes half a second later.
        #expect(timeline.place(480, 1_510_000_000) == (480 + 24_000, 24_000))
        #expect(timeline.place(480, 1_520_000_000) == (960 + 24_000, 0))
    }

    @Test("Reports an overrun that its stamps hide")
    func overrunWithoutTime() {
        let timeline = TimelineBox(rate: 48_000)
        timeline.noteOverrun()
        #expect(timeline.place(480, 5) == (0, 0), "nothing came before it")
        timeline.noteOverrun()
        #expect(timeline.place(480, 0) == (481, 1))
    }

    @Test("Handles a driver's nonsense")
    func extremes() {
        let timeline = TimelineBox(rate: 0)
        for stamp in [Int64.max, .min, 0, .max] {
            timeline.noteOverrun()
            _ = timeline.place(Int.max, stamp)
            _ = timeline.place(-1, stamp)
        }
    }
}

/// A timeline that expectations can drive.
private final class TimelineBox {
    private var timeline: PCMTimeline

    init(rate: Int) {
        timeline = PCMTimeline(rate: rate)
    }

    func noteOverrun() { timeline.noteOverrun() }

    func place(_ frames: Int, _ stamp: Int64) -> (position: UInt64, lost: UInt64) {
        timeline.place(frames, at: stamp)
    }
}
