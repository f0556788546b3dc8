import CameraKit
import CaptureModel
import PosixSupport
import Testing
import Video4Linux

@testable import V4L2Camera

/// A camera with one control, gain, that takes as long to answer as a test lets it.
private final class SlowControls: ControlAccess, Sendable {
    private let gain = VideoControl(id: VideoControl.exposureAbsolute, name: "Gain", kind: .integer, maximum: 5000)
    private let stored = Locked<Int64>(80)
    /// Raised while a question is being answered.
    let isAsked: EventFlag
    private let mayAnswer: EventFlag

    init(mayAnswer: EventFlag) throws {
        isAsked = try EventFlag()
        self.mayAnswer = mayAnswer
    }

    func controls() throws(VideoError) -> [VideoControl] { [gain] }
    func control(_ id: UInt32) throws(VideoError) -> VideoControl? { id == gain.id ? gain : nil }
    func menu(of control: VideoControl) throws(VideoError) -> [VideoMenuItem] { [] }
    func value(of control: VideoControl) throws(VideoError) -> Int64 { stored.withLock { $0 } }

    func setValues(_ assignments: [ControlAssignment]) throws(VideoError) {
        isAsked.signal()
        mayAnswer.wait()
        stored.withLock { $0 = assignments.last?.value ?? $0 }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ControlThreadTests {
    private let mayAnswer: EventFlag
    private let device: SlowControls
    private let controls: ControlThread

    init() throws {
        mayAnswer = try EventFlag()
        device = try SlowControls(mayAnswer: mayAnswer)
        controls = try ControlThread(device, path: "/dev/video9")
    }

    private func untilAsked() async throws {
        _ = try await BlockingCall.run(thread: "wait") { [device] in device.isAsked.wait() }
    }

    private func set(_ value: Int64) async -> String {
        let outcome = await controls.perform { device in
            (try? ControlTransaction(["gain": value], on: device).apply(to: device))?["gain"]
        }
        switch outcome {
        case .done(let value): return value.map(String.init) ?? "failed"
        case .ended: return "ended"
        case .full: return "full"
        }
    }

    @Test func theExposureOfAFrameWouldBeThatBeforeItWasSet() async throws {
        #expect(controls.sensor.exposure == .milliseconds(8))
        mayAnswer.signal()
        let thread = try controls.start(device, name: "ctl-test")
        #expect(await set(250) == "250")
        // The exposure is read after the answer, and before the next one.
        #expect(await set(250) == "250")
        #expect(controls.sensor.exposure == .milliseconds(25))
        controls.stop()
        thread.join()
    }

    @Test func requestsToACameraThatDoesNotAnswerWouldPileUp() async throws {
        let thread = try controls.start(device, name: "ctl-test")
        async let first = set(1)
        try await untilAsked()
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<ControlThread.mostJobs + 3 { group.addTask { await set(2) } }
            var answers: [String] = []
            // Three are refused while the others wait; then the camera answers.
            for await answer in group {
                answers.append(answer)
                if answers.count == 3 { mayAnswer.signal() }
            }
            return answers
        }
        #expect(answers.prefix(3) == ["full", "full", "full"])
        #expect(answers.dropFirst(3).allSatisfy { $0 == "2" })
        #expect(await first == "1")
        controls.stop()
        thread.join()
    }

    @Test func whoWaitsForAStoppedCameraWouldWaitForEver() async throws {
        let thread = try controls.start(device, name: "ctl-test")
        async let first = set(1)
        try await untilAsked()
        async let second = set(2)
        controls.stop()
        #expect(await second == "ended")
        mayAnswer.signal()
        #expect(await first == "1", "what is under way is finished")
        thread.join()
        #expect(await set(3) == "ended")
    }

    @Test func whoAsksACameraThatNeverStartedWouldWaitForEver() async {
        async let answer = set(1)
        controls.stop()
        #expect(await answer == "ended")
    }
}
