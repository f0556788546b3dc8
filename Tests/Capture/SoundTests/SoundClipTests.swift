import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import Sound

@Suite struct SoundClipTests {
    @Test("Begins and ends a clip at the requested instants")
    func exact() {
        let sound = SoundBuffers()
        let clip = SoundClip(sound.time(ofFrame: 137)...sound.time(ofFrame: 437), sound.ring(0..<100))
        #expect(clip.samples == (137..<437).map(Int16.init))
        #expect(clip.gaps.isEmpty && !clip.isSilent)
    }

    @Test("Keeps sound after an overrun in its place, and marks the silence")
    func overrun() throws {
        let sound = SoundBuffers()
        var ring = sound.ring(0..<30)
        ring.append(sound.buffer(37, lost: 70))
        for index in 38..<60 { ring.append(sound.buffer(index)) }
        let clip = SoundClip(sound.time(ofFrame: 200)...sound.time(ofFrame: 500), ring)
        #expect(clip.gaps == [SoundGap(frames: 100..<170, cause: .overrun)])
        let (before, after): ([Int16], [Int16]) = (Array(200..<300), Array(370..<500))
        #expect(clip.samples == before + [Int16](repeating: 0, count: 70) + after)
        let silence = try #require(clip.silences.first)
        #expect(clip.silences.count == 1 && silence.cause == .overrun)
        let length = Double((clip.window.upperBound - clip.window.lowerBound).nanoseconds)
        #expect(abs(Double(silence.startNanoseconds) - length / 3) < 1000)
        #expect(abs(Double(silence.durationNanoseconds) - length * 70 / 300) < 1000)
    }

    @Test("Takes the length of a gap from the stamps, not from the driver's estimate")
    func gapByStamps() {
        let sound = SoundBuffers()
        var ring = sound.ring(0..<10)
        // The driver says that 7 frames are missing; the stamps say 30.
        for index in 13..<40 {
            var buffer = sound.buffer(index, lost: index == 13 ? 7 : 0)
            buffer.position -= 23
            ring.append(buffer)
        }
        let clip = SoundClip(sound.time(ofFrame: 50)...sound.time(ofFrame: 250), ring)
        #expect(clip.gaps == [SoundGap(frames: 50..<80, cause: .overrun)])
        #expect(clip.samples[80...].elementsEqual((130..<250).map(Int16.init)))
    }

    @Test("Marks silence with its cause: never there, gone, or not yet there")
    func missing() {
        let sound = SoundBuffers()
        let window = sound.time(ofFrame: 0)...sound.time(ofFrame: 100)
        let never = SoundClip(window, AudioRing(depth: .seconds(1), byteLimit: 1000))
        #expect(never.gaps == [SoundGap(frames: 0..<100, cause: .notArrived)] && never.isSilent)
        #expect(never.samples == [Int16](repeating: 0, count: 100))
        #expect(never.measuredRate == nil)
        let late = SoundClip(window, sound.ring(3..<8))
        #expect(
            late.gaps == [
                SoundGap(frames: 0..<30, cause: .notOpen), SoundGap(frames: 80..<100, cause: .notArrived),
            ])
        let old = SoundClip(window, sound.ring(0..<30, depth: .milliseconds(230)))
        #expect(old.gaps == [SoundGap(frames: 0..<60, cause: .tooOld)])
        let after = SoundClip(sound.time(ofFrame: 500)...sound.time(ofFrame: 600), sound.ring(0..<30))
        #expect(after.isSilent)
    }

    @Test(
        "The true rate of a microphone is not found from stamps that jitter, or its bound does not hold",
        arguments: [
            -300.0, -50, 0, 120, 900,
        ])
    func rate(_ ppm: Double) throws {
        var generator = SeededGenerator(seed: 7)
        let errors = (0..<1000).map { _ in Int64.random(in: -1_000_000...1_000_000, using: &generator) }
        var sound = SoundBuffers(interval: 1_000_000 * (1 + ppm * 1e-6))
        sound.error = { errors[$0] }
        sound.bound = .milliseconds(1)
        let ring = sound.ring(0..<1000)
        let clip = SoundClip(sound.time(ofFrame: 3000)...sound.time(ofFrame: 6000), ring)
        let rate = try #require(clip.measuredRate)
        let truth = 1000 / (1 + ppm * 1e-6)
        let bound = try #require(clip.measuredRateBound)
        #expect(abs(rate - truth) <= bound)
        #expect(abs(rate - truth) < 0.02, "20 ppm in ten seconds")
        // A frame of this microphone is a millisecond long; each is within one of its place.
        #expect(abs(clip.frameCount - 3000) <= 1)
        let places = clip.samples.enumerated().map { abs(Int($1) - 3000 - $0) }
        #expect(places.allSatisfy { $0 <= 1 } && clip.gaps.isEmpty)
        #expect(clip.bound >= .milliseconds(1))
    }

    @Test("Reports a measured rate only where it could be measured")
    func noRate() {
        let sound = SoundBuffers(interval: 1_100_000)
        let short = SoundClip(sound.time(ofFrame: 0)...sound.time(ofFrame: 100), sound.ring(0..<20))
        #expect(short.measuredRate == nil && short.measuredRateBound == nil)
        let absurd = SoundClip(sound.time(ofFrame: 0)...sound.time(ofFrame: 100), sound.ring(0..<1000))
        #expect(absurd.measuredRate == nil)
    }

    @Test("Accepts windows and stamps of any size without a trap")
    func extremes() {
        let sound = SoundBuffers()
        let ends = [LocalTime(nanoseconds: .min), sound.time(ofFrame: 5), LocalTime(nanoseconds: .max)]
        for lower in ends {
            for upper in ends where lower <= upper {
                let clip = SoundClip(lower...upper, sound.ring(0..<10))
                #expect(clip.frameCount <= 600_001)
            }
        }
        var wild = SoundBuffers()
        wild.error = { $0 == 0 ? .min / 2 : .max / 2 }
        _ = SoundClip(sound.time(ofFrame: 0)...sound.time(ofFrame: 100), wild.ring(0..<5))
    }

    @Test("Writes the samples to the file unchanged")
    func bytes() {
        let sound = SoundBuffers()
        let clip = SoundClip(sound.time(ofFrame: 300)...sound.time(ofFrame: 302), sound.ring(0..<100))
        #expect(clip.bytes == [0x2C, 0x01, 0x2D, 0x01])
    }
}

@Suite struct SoundMachineTests {
    private let machine = MachineBox()
    private let absent = SessionFailure(
        CameraError(.absent, device: "hw:1", operation: "snd_pcm_open", reason: "No such device"))
    private let stall = SessionFailure(.stall, "no sound")

    @Test("Keeps a microphone open exactly while something needs sound")
    func onlyWhileNeeded() {
        #expect(machine.state == .stopped)
        #expect(machine.handle(.need(.listening)) == [.open])
        #expect(machine.handle(.need(.preview)) == [])
        #expect(machine.handle(.opened) == [] && machine.state == .starting)
        #expect(machine.handle(.delivering) == [] && machine.state == .running && machine.reason == nil)
        #expect(machine.handle(.release(.listening)) == [])
        #expect(machine.handle(.release(.preview)) == [.close])
        #expect(machine.handle(.closed) == [] && machine.hardware == .closed && machine.state == .stopped)
    }

    @Test("Closes a microphone that is released while it opens")
    func letGoWhileOpening() {
        _ = machine.handle(.need(.listening))
        #expect(machine.handle(.release(.listening)) == [])
        #expect(machine.handle(.opened) == [.close])
        #expect(machine.handle(.need(.listening)) == [], "it is closing")
        #expect(machine.handle(.closed) == [.open], "and is needed again")
    }

    @Test("Retries an absent microphone after a pause")
    func backoff() {
        #expect(machine.handle(.need(.listening)) == [.open])
        for wait in [250, 500, 1000, 1000] {
            #expect(machine.handle(.failed(absent)) == [.retry(after: .milliseconds(wait))])
            #expect(machine.state == .absent && machine.reason == absent.description)
            #expect(machine.handle(.need(.preview)) == [], "another wish does not shorten the wait")
            #expect(machine.handle(.retryDue) == [.open])
        }
        _ = machine.handle(.opened)
        _ = machine.handle(.delivering)
        #expect(machine.state == .running)
        #expect(machine.handle(.failed(absent)) == [.retry(after: .seconds(1))], "it had not run for long")
        #expect(machine.handle(.present) == [.open])
        _ = machine.handle(.opened)
        _ = machine.handle(.delivering)
        _ = machine.handle(.good)
        #expect(machine.handle(.failed(absent)) == [.retry(after: .milliseconds(250))])
    }

    @Test("Stops retrying a microphone that nothing needs")
    func noRetryUnwanted() {
        _ = machine.handle(.need(.listening))
        _ = machine.handle(.failed(absent))
        #expect(machine.handle(.release(.listening)) == [.stopWaiting])
        #expect(machine.handle(.retryDue) == [] && machine.handle(.present) == [])
        #expect(machine.state == .stopped && machine.trouble == nil)
        #expect(machine.handle(.need(.listening)) == [.open])
    }

    @Test("Reopens a microphone that falls silent")
    func stalls() {
        _ = machine.handle(.need(.listening))
        _ = machine.handle(.opened)
        _ = machine.handle(.delivering)
        #expect(machine.handle(.stalled(stall)) == [.close] && machine.state == .stalled)
        #expect(machine.handle(.closed) == [.retry(after: .milliseconds(250))])
        #expect(machine.handle(.retryDue) == [.open] && machine.state == .stalled)
    }

    @Test("Keeps to one open and one close for events in any order")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        let events: [SoundMachine.Event] = [
            .need(.listening), .need(.preview), .release(.listening), .release(.preview), .opened, .delivering, .good,
            .stalled(stall), .failed(absent), .closed, .retryDue, .present,
        ]
        for _ in 0..<20_000 {
            let before = (machine.hardware, machine.isWanted)
            let event = events.randomElement(using: &generator) ?? .good
            for action in machine.handle(event) {
                switch action {
                case .open:
                    #expect(machine.isWanted && machine.hardware == .opening && before.0 != .open)
                case .close: #expect(machine.hardware == .closing && before.0 != .closing)
                case .retry: #expect(machine.isWanted && machine.hardware == .closed)
                case .stopWaiting: #expect(!machine.isWanted)
                }
            }
            #expect(machine.state != .running || machine.hardware == .open)
        }
    }
}

/// A machine that expectations can drive.
private final class MachineBox {
    private var machine = SoundMachine(firstRetry: .milliseconds(250), lastRetry: .seconds(1))

    var hardware: SoundMachine.Hardware { machine.hardware }
    var isWanted: Bool { machine.isWanted }
    var state: DeviceCondition.State { machine.state }
    var reason: String? { machine.reason }
    var trouble: SessionFailure? { machine.trouble }

    func handle(_ event: SoundMachine.Event) -> [SoundMachine.Action] { machine.handle(event) }
}
