import Glibc
import Testing

@testable import ALSA

/// libasound's own device `null` needs no hardware: it is always ready and delivers zeros.
@Suite(.timeLimit(.minutes(1))) struct PCMCaptureTests {
    @Test("What is asked for is not what a device is set to")
    func negotiates() throws {
        let pcm = try PCMCapture(device: "null", wish: PCMWish(rate: 44_100, channels: 2))
        #expect(pcm.parameters.rate == 44_100 && pcm.parameters.channels == 2)
        #expect(pcm.parameters.periodFrames > 0 && pcm.parameters.bufferFrames >= pcm.parameters.periodFrames)
        let free = try PCMCapture(device: "null")
        #expect(free.parameters.rate == PCMWish.preferredRate && free.parameters.channels == PCMWish.preferredChannels)
    }

    @Test("Samples get lost or are counted twice between two reads, or have no time")
    func reads() throws {
        let pcm = try PCMCapture(device: "null", wish: PCMWish(rate: 48_000, channels: 2))
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

    @Test("A device that is not there, or cannot do what is asked, is not named, or nobody is told what to do")
    func refusals() throws {
        let absent = #expect(throws: ALSAError.self) { _ = try PCMCapture(device: "hw:CARD=Nowhere,DEV=0") }
        #expect([ENODEV, ENOENT].contains(absent?.errorNumber))
        let sentence = absent?.description ?? ""
        #expect(sentence.contains("arecord -L"))
        let misspelt = #expect(throws: ALSAError.self) { _ = try PCMCapture(device: "there is no such thing") }
        let name = misspelt?.description ?? ""
        #expect(name.contains("there is no such thing"))
        let channels = #expect(throws: ALSAError.self) {
            _ = try PCMCapture(device: "null", wish: PCMWish(channels: 1_000_000))
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

    @Test("A name with a zero byte or of any length traps")
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
