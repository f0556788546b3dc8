import CameraKit
import CameraSettings
import CaptureModel
import Testing

@testable import CaptureEngine

/// The steps of settings transactions.
extension Stage {
    func prepare(_ id: SettingsID, _ text: String) async throws -> SettingsPreparation {
        let step = SettingsStep.prepare(try CaptureSettings(parsing: text))
        guard case .prepared(let preparation) = try await session.carryOut(step, of: id) else {
            throw RigProblem(.protocolViolation, "prepare answered something else")
        }
        return preparation
    }

    func commit(_ id: SettingsID, at time: RigTime) async throws -> SettingsEffect {
        guard case .applied(let effect) = try await session.carryOut(.commit(at: time), of: id) else {
            throw RigProblem(.protocolViolation, "commit answered something else")
        }
        return effect
    }

    /// Commits at an instant so far ahead, and lets time pass until the answer must be there.
    func commit(
        _ id: SettingsID, in ahead: Duration = .milliseconds(300), for duration: Duration = .seconds(1)
    ) async throws -> SettingsEffect {
        let time = now + ahead
        let committing = Task(executorPreference: executor) { try await self.commit(id, at: time) }
        await pass(duration)
        return try await committing.value
    }

    func undo(_ id: SettingsID) async throws {
        let result = try await session.carryOut(.undo, of: id)
        #expect(result == .undone)
    }

    /// The controls of the open stream as the camera has them.
    func controls() async throws -> [String: Int64] {
        let stream = try #require(await session.stream)
        return Dictionary(uniqueKeysWithValues: try await stream.controls().map { ($0.name, $0.value ?? -1) })
    }
}

/// Expects a problem with this code, whose message contains these words.
func expectProblem(
    _ code: RigProblem.Code, _ words: String = "", sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    let problem = await #expect(throws: RigProblem.self, sourceLocation: sourceLocation) { try await body() }
    #expect(problem?.code == code, "\(String(describing: problem))", sourceLocation: sourceLocation)
    #expect(
        words.isEmpty || problem?.message.contains(words) == true, "\(String(describing: problem))",
        sourceLocation: sourceLocation)
}

extension CameraCatalogue {
    /// A catalogue in which a value without effect acts so late that there is time for trouble before it does.
    static var slow: CameraCatalogue {
        var camera = CameraPeculiarities(match: CameraMatch(model: "Virtual camera"))
        camera.delays["integer_64_bits"] = FrameDelay(fewest: 0, most: 30)
        return CameraCatalogue([camera])
    }
}
