import CameraKit
import CaptureModel
import CaptureTestSupport
import VirtualDevices

@testable import Sound

/// A session of one virtual microphone (8 kHz, one channel, buffers of 20 ms) on a clock that the test moves.
final class SoundStage: Sendable {
    static let period = Duration.milliseconds(20)

    let clock: ManualTimeSource
    let microphone: VirtualMicrophone
    let session: SoundSession
    let output = AudioDataOutput(limit: 1000)
    let states = Observed<[DeviceCondition.State]>([])

    /// - Parameter stallTimeout: So long by default that no test meets it unless it wants to.
    init(
        stallTimeout: Duration = .seconds(86_400), realtimeNanoseconds: Int64 = 1_800_000_000_500_000_000,
        configure: (inout VirtualMicrophoneConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = VirtualMicrophoneConfiguration()
        configuration.sampleRate = 8000
        configure(&configuration)
        clock = ManualTimeSource(realtimeNanoseconds: realtimeNanoseconds)
        microphone = VirtualMicrophone(name: "mic", configuration: configuration)
        session = SoundSession(
            device: DeviceDescription(
                id: try DeviceID("north/mic"), mediaType: .audio, type: .microphone, driver: "virtual"),
            microphone: microphone, policy: SoundPolicy(stallTimeout: stallTimeout), clock: clock
        ) { [states] state, _ in states.change { $0.append(state) } }
    }

    /// Lets the session run for as long as `body` takes, and waits for its end.
    func run(_ body: () async throws -> Void) async throws {
        let running = Task { [session] in await session.run() }
        await session.attach(output)
        do {
            try await body()
        } catch {
            running.cancel()
            await running.value
            throw error
        }
        running.cancel()
        await running.value
    }

    /// Lets the microphone, which is being opened, hear its first buffer.
    func hearFirst() async {
        // A buffer, its delivery, and a margin that keeps the end of every later step between two deliveries.
        await hear(after: Self.period + .milliseconds(5))
    }

    /// Lets the microphone hear so many further buffers; the session has each before the next one is heard.
    func hear(_ count: Int) async {
        for _ in 0..<count { await hear(after: Self.period) }
    }

    private func hear(after time: Duration) async {
        await miss(after: time)
        _ = await output.next()
    }

    /// Lets time pass in which so many buffers are not delivered.
    func miss(_ count: Int) async {
        for _ in 0..<count { await miss(after: Self.period) }
    }

    /// Microphone and watchdog sleep.
    private func miss(after time: Duration) async {
        await clock.sleepers(atLeast: 2)
        clock.advance(by: time)
    }

    /// The instant of a second of the scene.
    func second(_ number: Int64) -> LocalTime {
        clock.wallClockPair().instant(atRealtimeNanoseconds: number * 1_000_000_000)
    }
}
