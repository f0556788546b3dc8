import CaptureModel
import CaptureTestSupport
import ControlMessages

@testable import RigCore

/// What tests play of nodes that carry out settings transactions.
extension RigBench {
    /// Waits for a step of which a node has got `done` before.
    func settingsStep(of node: NodeName, after done: Int = 0) async -> (number: UInt64, step: SettingsStep) {
        await links.asked.wait { $0.settingsSteps(of: node).count > done }
        return links.asked.value.settingsSteps(of: node)[done]
    }

    /// Has a node answer a step.
    func answerSettings(
        _ number: UInt64, _ result: Result<SettingsStepResult, RigProblem>, by node: NodeName
    ) async {
        await rig.accept(
            DeviceAnswer(number: number, devices: [], outcome: result.map { .settings($0) }), from: node)
    }

    /// Has a node answer the step of which it has got `done` before, when it comes.
    @discardableResult
    func answerSettings(
        of node: NodeName, after done: Int, _ result: Result<SettingsStepResult, RigProblem>
    ) async -> SettingsStep {
        let (number, step) = await settingsStep(of: node, after: done)
        await answerSettings(number, result, by: node)
        return step
    }
}

extension FakeLinks.Asked {
    /// The steps of transactions that a node was told, in order. One that is told again, since the node has connected, counts once.
    func settingsSteps(of node: NodeName) -> [(number: UInt64, step: SettingsStep)] {
        var numbers: Set<UInt64> = []
        return sent.compactMap { told in
            guard told.node == node, let (number, request) = told.order.device,
                case .settings(_, let step)? = request.command, numbers.insert(number).inserted
            else { return nil }
            return (number, step)
        }
    }
}

extension SettingsStepResult {
    /// What a camera answers that can set its gain to 7.
    static func preparedGain() throws -> SettingsStepResult {
        let entry = try CaptureSettings.Entry(parsing: "gain=raw:7")
        return .prepared(SettingsPreparation(outcomes: [SettingOutcome(entry: entry, result: .set(.raw(7)))]))
    }
}
