import CaptureModel
import Logging
import StorageKit

/// Profiles: the settings that cameras are asked to hold, saved under names.
extension Rig {
    /// Carries out a command about a profile.
    /// - Throws: `held`; `noSpace`, `corrupted`, `inputOutput` of the store; `emptySelection` if no camera holds settings; `unknownProfile`.
    func carryOut(_ command: ProfileCommand, by principal: Principal) async throws(RigProblem) -> RigAnswer {
        try hold.requireNotHeld(against: principal)
        switch command {
        case .save(let name, let selection): return .savedProfile(try await save(name, selection, by: principal))
        case .remove(let name):
            try await stored { store throws(StorageError) in try await store.remove(name) }
            await announce(.profileRemoved, details: ["profile": "\(name)"])
            return .profiles(try await profiles())
        }
    }

    private func save(
        _ name: ProfileName, _ selection: Selection, by principal: Principal
    ) async throws(RigProblem) -> SavedProfile {
        let held = try await heldSettings(of: selection)
        guard !held.cameras.isEmpty else {
            let reasons = held.leftOut.prefix(8).map(\.problem.message).joined(separator: "; ")
            throw RigProblem(.emptySelection, "the profile '\(name)' would have no camera: \(reasons)")
        }
        let time = wallClock.realtimeNanoseconds
        var saved = try await stored { store throws(StorageError) in
            try await store.add(held.cameras, to: name, by: principal.name, at: time)
        }
        saved.leftOut = held.leftOut
        if saved.isNew {
            await announce(
                .profileSaved,
                details: [
                    "profile": "\(saved.profile.reference)", "cameras": "\(saved.profile.cameras.count)",
                    "by": principal.name,
                ])
        }
        return saved
    }

    /// Returns the profiles in the order of their names.
    func profiles() async throws(RigProblem) -> [ProfileSummary] {
        try await stored { store throws(StorageError) in try await store.profiles() }
    }

    /// - Throws: `unknownProfile`, also for a version that is not kept; `corrupted`; `inputOutput`.
    func profile(_ reference: ProfileReference) async throws(RigProblem) -> SettingsProfile {
        let versions = try await stored { store throws(StorageError) in try await store.versions(of: reference.name) }
        let found = reference.version.map { number in versions.first { $0.version == number } } ?? versions.last
        guard let found else {
            let kept = versions.map { "\($0.version)" }.joined(separator: ", ")
            throw RigProblem(
                .unknownProfile,
                "the profile '\(reference.name)' has no version \(reference.version ?? 0); it has \(kept)")
        }
        return found
    }

    private func stored<Value: Sendable>(
        _ work: (any ProfileStore) async throws(StorageError) -> Value
    ) async throws(RigProblem) -> Value {
        guard let profileStore else {
            throw RigProblem(.unsupportedSettings, "this coordinator has no folder for profiles")
        }
        do throws(StorageError) {
            return try await work(profileStore)
        } catch  where error.code == .notFound {
            throw RigProblem(.unknownProfile, "\(error.cause); `capctl settings list` lists the profiles")
        } catch {
            if error.code == .corrupted {
                log.error("a profile of settings cannot be read", metadata: ["reason": "\(error)"])
            }
            throw RigProblem(error)
        }
    }

    // MARK: What cameras hold

    /// Asks the nodes what cameras are to hold.
    /// - Returns: Both lists in the order of the cameras' ids.
    /// - Throws: `emptySelection`.
    func heldSettings(of selection: Selection) async throws(RigProblem) -> HeldProfile {
        let devices = try select(selection).map(\.id)
        let answers = await held(by: Array(devices.prefix(SettingsProfile.cameraLimit)))
        var held = HeldProfile(cameras: [])
        for device in devices {
            switch Self.camera(device, answers[device]) {
            case .success(let camera): held.cameras.append(camera)
            case .failure(let problem): held.leftOut.append(HeldProfile.LeftOut(device: device, problem: problem))
            }
        }
        return held
    }

    /// Asks the nodes of cameras, all at the same time.
    func held(by cameras: [DeviceID]) async -> [DeviceID: Result<HeldSettings, RigProblem>] {
        await withTaskGroup(of: (DeviceID, DeviceRelay.Outcome).self) { group in
            for camera in cameras {
                let request = DeviceRequest(device: camera, command: .heldSettings)
                group.addTask { (camera, await self.outcome(of: request)) }
            }
            var answers: [DeviceID: Result<HeldSettings, RigProblem>] = [:]
            for await (camera, outcome) in group {
                answers[camera] = outcome.flatMap { reply in
                    guard case .held(let held) = reply else {
                        return .failure(
                            RigProblem(
                                .protocolViolation, "\(camera): the node has not answered what the camera holds"))
                    }
                    return .success(held)
                }
            }
            return answers
        }
    }

    private static func camera(
        _ device: DeviceID, _ answer: Result<HeldSettings, RigProblem>?
    ) -> Result<SettingsProfile.Camera, RigProblem> {
        guard let answer else {
            return .failure(
                RigProblem(
                    .noMemory, "\(device): at most \(SettingsProfile.cameraLimit) cameras are asked at a time"))
        }
        return answer.flatMap { held in
            if let waiting = held.waiting.first {
                return .failure(
                    RigProblem(
                        .notRunning,
                        "\(device): settings \(waiting) wait for its start, so that its values are not known; start it first"
                    ))
            }
            guard !held.settings.entries.isEmpty else {
                return .failure(
                    RigProblem(
                        .unsupportedSettings, "\(device) holds no settings, because no transaction has set it"))
            }
            return .success(
                SettingsProfile.Camera(device: device, make: held.make, model: held.model, settings: held.settings))
        }
    }

    // MARK: History

    /// Returns the newest transactions that cameras were told to carry out, newest first.
    func pastSettings() -> [PastSettings] {
        committedSettings.reversed().lazy.compactMap(\.past).prefix(SettingsTransactions.keptLimit).map(\.self)
    }

    /// Where a person finds the transactions that can be undone, as the end of a sentence.
    /// - Parameter count: How many are kept. Those of a run may be more than ``pastSettings()`` returns.
    static func whereKept(_ count: Int) -> String {
        "`capctl settings history` lists \(count > SettingsTransactions.keptLimit ? "the newest of those" : "those") that are kept"
    }
}

extension EventName {
    static let profileSaved = EventName(rawValue: "profile.saved")
    static let profileRemoved = EventName(rawValue: "profile.removed")
}
