import ALSA
import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import SystemClock
import Testing

@testable import ALSAMicrophone

@Suite(.timeLimit(.minutes(10))) struct ALSAMicrophoneTests {
    private let clock = SystemTimeSource()

    @Test("Delivers sound until it is stopped, and closes the device")
    func streams() async throws {
        let microphone = ALSAMicrophone(name: "desk", device: "null")
        let stream = try await microphone.start(AudioFormatRequest(sampleRate: 44_100, channels: 2), clock: clock)
        #expect(stream.format == AudioFormat(sampleRate: 44_100, channels: 2))
        let busy = await #expect(throws: CameraError.self) {
            _ = try await microphone.start(AudioFormatRequest(), clock: clock)
        }
        #expect(busy?.code == .busy)
        let buffer = try #require(await stream.buffers.first { _ in true })
        #expect(buffer.frameCount > 0 && buffer.samples.count == buffer.frameCount * 2)
        #expect((clock.now() - buffer.firstFrame).magnitude < .seconds(10))
        await stream.stop()
        #expect(stream.failure == nil)
        try await microphone.start(AudioFormatRequest(), clock: clock).stop()
    }

    @Test("Reports an absent or unsuitable microphone as such")
    func refusals() async throws {
        let absent = ALSAMicrophone(name: "desk", device: "hw:CARD=Nowhere,DEV=0")
        let refusal = await #expect(throws: CameraError.self) {
            _ = try await absent.start(AudioFormatRequest(), clock: clock)
        }
        #expect(refusal?.code == .absent && refusal?.device == "hw:CARD=Nowhere,DEV=0")
        #expect(await absent.authorization() == .notDetermined)
        let remedy = try #require(await absent.authorizationRemedy())
        #expect(remedy.contains("no sound card 'Nowhere'"))
        let mute = ALSAMicrophone(name: "desk", device: "null")
        #expect(await mute.authorization() == .authorized)
        let format = await #expect(throws: CameraError.self) {
            _ = try await mute.start(AudioFormatRequest(channels: 100_000), clock: clock)
        }
        #expect(format?.code == .unsupportedFormat)
    }

    @Test(
        "An error of the system is called by another name",
        arguments: [
            (EBUSY, CameraError.Code.busy), (EACCES, .denied), (ENODEV, .absent), (EIO, .failed),
        ])
    func codes(_ errorNumber: Int32, _ code: CameraError.Code) {
        let error = CameraError(ALSAError(errorNumber: errorNumber, operation: "snd_pcm_open", device: "hw:1"))
        #expect(error.code == code && error.device == "hw:1")
    }

    @Test("Reports a forbidden card as forbidden")
    func forbiddenCard() {
        let error = ALSAError(errorNumber: ENODEV, operation: "snd_pcm_open", device: "hw:CARD=Webcam,DEV=0")
        let denied = CameraError(error, access: NodeAccess(.denied, remedy: "join the group"))
        #expect(denied.code == .denied && denied.reason.hasSuffix("join the group"))
        #expect(CameraError(error, access: NodeAccess(.restricted, remedy: "allow it")).code == .restricted)
        #expect(CameraError(error, access: NodeAccess(.authorized, remedy: nil)).code == .absent)
    }

    @Test("Finds the device node of a card's name, and none for other names")
    func nodes() throws {
        #expect(PCMNode(device: "hw:1,2").map { [$0.card, "\($0.device)"] } == ["1", "2"])
        #expect(PCMNode(device: "hw:0").map { [$0.card, "\($0.device)"] } == ["0", "0"])
        #expect(PCMNode(device: "plughw:CARD=Webcam,DEV=1").map { [$0.card, "\($0.device)"] } == ["Webcam", "1"])
        #expect(PCMNode(device: "sysdefault:CARD=Webcam").map(\.card) == "Webcam")
        for name in ["default", "null", "pulse", "hw:", "hw:CARD=", "hw:../../etc,0", "surround51:1", ":::,,,=="] {
            #expect(PCMNode(device: name) == nil, "\(name)")
        }
    }

    @Test("Names the remedy for a forbidden microphone")
    func access() throws {
        let system = try TemporaryFolder()
        for (card, id) in [("card0", "PCH"), ("card3", "Webcam")] {
            try makeFolder(system.path + "/" + card)
            try system.write("\(id)\n", to: "\(card)/id")
        }
        let webcam = try #require(PCMNode(device: "hw:CARD=Webcam,DEV=0"))
        let missing = webcam.access(systemFolder: system.path, deviceFolder: system.path)
        #expect(missing.status == .notDetermined)
        let advice = missing.remedy ?? ""
        #expect(advice.contains("pcmC3D0c: plug the microphone in"))
        try system.write("", to: "pcmC3D0c")
        #expect(webcam.access(systemFolder: system.path, deviceFolder: system.path).status == .authorized)
        let byNumber = try #require(PCMNode(device: "hw:3"))
        #expect(byNumber.access(systemFolder: system.path, deviceFolder: system.path).status == .authorized)
        let other = try #require(PCMNode(device: "hw:7"))
        #expect(other.access(systemFolder: system.path, deviceFolder: system.path).status == .notDetermined)
        let denied = NodeAccess(
            .init(
                refusal: .init(code: EACCES, operation: "open", subject: "/dev/snd/pcmC0D0c"),
                ownership: .init(owner: 0, group: 0, groupName: "root", permissions: 0o600, isInGroup: false)),
            path: "/dev/snd/pcmC0D0c", .sound)
        let rule = denied.remedy ?? ""
        #expect(rule.contains(#"SUBSYSTEM=="sound", GROUP="audio""#))
    }

    private func makeFolder(_ path: String) throws {
        #expect(unsafe mkdir(path, 0o755) == 0)
    }

    @Test("Accepts stamps of the monotonic clock only, with a bound that covers the driver's")
    func stamps() {
        let format = PCMParameters(
            rate: 48_000, channels: 1, periodFrames: 480, bufferFrames: 24_000, movesInBatches: false)
        var rule = SoundStampRule(format, latencyOffset: .milliseconds(-3))
        let read = LocalTime(nanoseconds: 5_000_000_000)
        func block(_ stamp: Int64, _ isDriver: Bool = true) -> PCMBlock {
            PCMBlock(
                samples: [], firstFrameNanoseconds: stamp, hasDriverStamp: isDriver, position: 0, lostFrames: 0)
        }
        let good = rule.apply(block(4_989_000_000), frames: 480, read: read)
        #expect(good.firstFrame.nanoseconds == 4_986_000_000 && good.bound == .milliseconds(1))
        rule = SoundStampRule(
            PCMParameters(rate: 48_000, channels: 1, periodFrames: 480, bufferFrames: 24_000, movesInBatches: true),
            latencyOffset: .zero)
        #expect(rule.apply(block(4_989_000_000), frames: 480, read: read).bound == .milliseconds(11))
        for stamp in [
            block(4_995_000_000), block(1_000_000_000), block(.min), block(.max), block(4_989_000_000, false),
        ] {
            let result = rule.apply(stamp, frames: 480, read: read)
            #expect(result.firstFrame.nanoseconds == 4_990_000_000 && result.bound == .milliseconds(21))
        }
    }
}
