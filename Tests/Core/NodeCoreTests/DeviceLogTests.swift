import CaptureModel
import CaptureTestSupport
import Logging
import Testing

@testable import NodeCore

@Suite struct DeviceLogTests {
    private let captured = CapturedLog()
    private let log: DeviceLog
    private let camera: DeviceID

    init() throws {
        log = DeviceLog(captured.logger)
        camera = try DeviceID("north/cam")
    }

    private func note(
        _ state: DeviceCondition.State, _ reason: String? = nil, phase: SessionCondition.Phase = .running,
        of device: DeviceID? = nil
    ) {
        let session = SessionCondition(phase: phase)
        log.note(device ?? camera, .video, DeviceCondition(state: state, reason: reason, session: session))
    }

    private var told: [String] { captured.lines.value.map { "\($0.level): \($0.message)" } }

    @Test("Each trouble of a camera and its end is one line")
    func troubles() {
        note(.starting)
        note(.running)
        for state in [DeviceCondition.State.absent, .busy, .denied, .stalled, .failed] {
            note(state, "why", phase: .restarting)
            note(.running)
        }
        #expect(
            told == [
                "info: a camera runs", "warning: a camera is absent", "info: a camera has recovered",
                "warning: a camera is busy", "info: a camera has recovered", "warning: a camera is denied",
                "info: a camera has recovered", "warning: a camera is stalled", "info: a camera has recovered",
                "warning: a camera has failed", "info: a camera has recovered",
            ])
        #expect(
            captured.lines.value[1].metadata == ["camera.id": "north/cam", "camera.before": "runs", "reason": "why"])
    }

    @Test("A camera that is given up is an error, and its return a recovery")
    func givenUp() {
        note(.failed, "attempt 1", phase: .restarting)
        note(.failed, "attempt 2", phase: .restarting)
        note(.failed, "the end", phase: .failed)
        note(.starting)
        note(.running)
        note(.failed, "no such format", phase: .configurationFailed)
        #expect(
            told == [
                "warning: a camera has failed", "error: a camera is given up", "info: a camera has recovered",
                "error: a camera is given up",
            ])
    }

    @Test("What is no change is not logged")
    func noChange() throws {
        let other = try DeviceID("north/cam2")
        for _ in 0..<3 {
            note(.running)
            note(.starting, phase: .interrupted)
        }
        note(.running, of: other)
        note(.stopped, "somebody stopped it")
        note(.running)
        #expect(
            told == ["info: a camera runs", "info: a camera runs", "info: a camera is stopped", "info: a camera runs"])
        log.note(try DeviceID("north/desk"), .audio, DeviceCondition(state: .absent))
        #expect(captured.lines.value.last?.message == "a microphone is absent")
        #expect(captured.lines.value.last?.metadata == ["microphone.id": "north/desk"])
    }

    @Test("A microphone that opens and closes as needed is logged for debugging only")
    func microphone() throws {
        let desk = try DeviceID("north/desk")
        for state in [DeviceCondition.State.stopped, .running, .stopped, .denied, .stopped] {
            log.note(desk, .audio, DeviceCondition(state: state))
        }
        #expect(
            told == [
                "debug: a microphone is stopped", "debug: a microphone runs", "debug: a microphone is stopped",
                "warning: a microphone is denied", "info: a microphone is stopped",
            ])
    }
}
