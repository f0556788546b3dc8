import CameraKit
import CaptureModel
import Testing

@testable import CaptureEngine

/// The steps of settings transactions.
extension Stage {
    func prepare(_ id: SettingsID, _ text: String) async throws -> SettingsPreparation {
        let step = SettingsStep.prepare(try CaptureSettings(parsing: text))
        guard case .prepared(let preparation) = try await session.carryOut(step, of: id) else {
            throw CaptureProblem(.protocolViolation, "prepare answered something else")
        }
        return preparation
    }

    func commit(_ id: SettingsID, at time: RigTime) async throws -> SettingsEffect {
        guard case .applied(let effect) = try await session.carryOut(.commit(at: time), of: id) else {
            throw CaptureProblem(.protocolViolation, "commit answered something else")
        }
        return effect
    }

    /// Commits at an instant so far ahead, and lets time pass until the answer must be there.
    func commit(
        _ id: SettingsID, in ahead: Duration, for duration: Duration
    ) async throws -> SettingsEffect {
        let time = now + ahead
        let committing = Task { try await commit(id, at: time) }
        await pass(duration)
        return try await committing.value
    }

    /// The controls of the open stream as the camera has them.
    func controls() async throws -> [String: Int64] {
        let stream = try #require(await session.stream)
        return Dictionary(uniqueKeysWithValues: try await stream.controls().map { ($0.name, $0.value ?? -1) })
    }
}
