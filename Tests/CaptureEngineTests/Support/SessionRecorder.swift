import CaptureEngine
import CaptureModel
import CaptureTestSupport

/// Keeps what a session tells, in order, and lets a test wait for it.
final class SessionRecorder: Sendable {
    private let told = Observed<[SessionEvent]>([])

    var events: [SessionEvent] { told.value }

    /// The states the device went through.
    var states: [DeviceCondition.State] {
        events.compactMap { event in
            if case .conditionChanged(let condition) = event { condition.state } else { nil }
        }
    }

    func record(_ event: SessionEvent) {
        told.change { $0.append(event) }
    }

    /// The life cycle of one capture.
    func steps(of key: CaptureKey) -> [LifeCycleStep] {
        Self.steps(of: key, in: events)
    }

    /// Returns when the capture has reached a step that fulfils the condition.
    func wait(for key: CaptureKey, _ isMeant: @escaping @Sendable (LifeCycleStep) -> Bool) async {
        await told.wait { Self.steps(of: key, in: $0).contains(where: isMeant) }
    }

    private static func steps(of key: CaptureKey, in events: [SessionEvent]) -> [LifeCycleStep] {
        events.compactMap { event in
            if case .lifeCycle(key, let step) = event { step } else { nil }
        }
    }
}

extension LifeCycleStep {
    /// The step without its details.
    var name: String {
        switch self {
        case .willBeginCapture: "willBegin"
        case .willCapturePhoto: "willCapture"
        case .didCapturePhoto: "didCapture"
        case .didFinishProcessingPhoto: "didFinishProcessing"
        case .didFinishCapture(nil): "didFinish"
        case .didFinishCapture(let problem?): "didFinish(\(problem.code.rawValue))"
        }
    }
}
