import CaptureModel
import CaptureTestSupport
import Testing

extension SeededGenerator {
    mutating func settingsID() -> SettingsID {
        SettingsID(unixMilliseconds: number(0...1 << 47), using: &self)
    }

    mutating func captureSettings() throws -> CaptureSettings {
        let texts = [
            "exposureDuration=8ms", "gain=40%", "whiteBalanceTemperature=5200K", "focusMode=auto", "pan=-12.5deg",
            "whiteBalanceGains=1.9,1,1.6", "format=MJPG:1280x720", "driver.hue=-3", "lensPosition=25%", "iso=current",
        ]
        let first = Int(number(0...9))
        return try CaptureSettings(parsing: Array(texts[first..<min(first + Int(number(1...4)), texts.count)]))
    }

    mutating func settingOutcomes() throws -> [SettingOutcome] {
        let refusal = sentence()
        return try captureSettings().entries.map { entry in
            let value: SettingValue? =
                switch entry {
                case .setting(let request): request.value
                case .driver(let request): .raw(request.value)
                }
            let results: [SettingOutcome.Result] = [
                .refused(refusal), value.map(SettingOutcome.Result.set) ?? .refused(refusal),
                value.map { .rounded(to: $0) } ?? .refused(refusal),
            ]
            return SettingOutcome(entry: entry, result: pick(results))
        }
    }

    mutating func settingsEffect() -> SettingsEffect {
        SettingsEffect(
            accepted: boundedTime(), controls: [word(): number(Int64.min...Int64.max)],
            change: SettingsChangeover(
                evidence: pick(SettingsChangeover.Evidence.allCases), lastOld: maybe { $0.frameMark() },
                firstNew: maybe { $0.frameMark() }, streamReopened: Bool.random(using: &self) ? true : nil))
    }

    private mutating func frameMark() -> FrameMark {
        FrameMark(sequence: UInt64(number(0...Int64.max)), midExposure: boundedTime())
    }

    mutating func settingsRequest() throws -> SettingsRequest {
        let isOwn = Bool.random(using: &self)
        guard isOwn else {
            return SettingsRequest(
                id: settingsID(),
                origin: pick([
                    .undo(.newest), .undo(UndoScope(settingsID(), cameras: try list(0...3) { try $0.deviceID() })),
                    .profile(try profileReference()),
                ]), time: requestedTime(),
                requireAll: Bool.random(using: &self))
        }
        let cameras = try list(0...3) { (try $0.deviceID(), try $0.captureSettings()) }
        let hasCommon = cameras.isEmpty || Bool.random(using: &self)
        return SettingsRequest(
            id: settingsID(), selection: try selection(),
            settings: hasCommon ? try captureSettings() : CaptureSettings(),
            cameras: Dictionary(cameras, uniquingKeysWith: { first, _ in first }), time: requestedTime(),
            requireAll: Bool.random(using: &self))
    }

    mutating func profileReference() throws -> ProfileReference {
        let name = try #require(ProfileName(pick(["night", "a", "Studio.2_b-c"])))
        return ProfileReference(name, version: maybe { Int($0.number(1...Int64(Int32.max))) })
    }

    mutating func settingsProfile() throws -> SettingsProfile {
        SettingsProfile(
            name: try profileReference().name, version: Int(number(1...Int64(Int32.max))),
            realtimeNanoseconds: number(Int64.min...Int64.max), principal: sentence(),
            cameras: try list(1...3) {
                SettingsProfile.Camera(
                    device: try $0.deviceID(), make: $0.maybe { $0.word() }, model: $0.maybe { $0.word() },
                    settings: try $0.captureSettings())
            })
    }

    mutating func heldProfile() throws -> HeldProfile {
        HeldProfile(cameras: try settingsProfile().cameras, leftOut: try leftOut())
    }

    mutating func savedProfile() throws -> SavedProfile {
        SavedProfile(
            profile: try settingsProfile(), isNew: Bool.random(using: &self), dropped: maybe { Int($0.number(1...9)) },
            leftOut: try leftOut())
    }

    private mutating func leftOut() throws -> [HeldProfile.LeftOut] {
        try list(0...3) { HeldProfile.LeftOut(device: try $0.deviceID(), problem: $0.problem()) }
    }

    mutating func profileSummary() throws -> ProfileSummary {
        ProfileSummary(
            name: try profileReference().name,
            versions: list(0...4) {
                ProfileSummary.Version(
                    version: Int($0.number(1...9)), realtimeNanoseconds: $0.number(Int64.min...Int64.max),
                    principal: $0.sentence(), cameraCount: Int($0.number(0...256)))
            }, problem: maybe { $0.problem() })
    }

    mutating func pastSettings() throws -> PastSettings {
        PastSettings(
            id: settingsID(), realtimeNanoseconds: number(Int64.min...Int64.max), principal: sentence(),
            profile: Bool.random(using: &self) ? try profileReference() : nil, undoes: maybe { $0.settingsID() },
            undoesRun: maybe { SettingsRunID($0.settingsID().uuid) },
            run: maybe { SettingsRunID($0.settingsID().uuid) },
            cameras: try list(0...3) {
                PastSettings.Camera(
                    device: try $0.deviceID(), settings: try $0.captureSettings(),
                    earlier: Bool.random(using: &$0) ? try $0.captureSettings() : nil,
                    outcome: $0.maybe { $0.pick(CameraSettingsOutcome.Word.allCases) })
            })
    }

    mutating func heldSettings() throws -> HeldSettings {
        HeldSettings(
            revision: maybe { $0.settingsID() }, make: maybe { $0.word() }, model: maybe { $0.word() },
            present: HardwareModel(make: maybe { $0.word() }, model: maybe { $0.word() }),
            settings: try captureSettings(), waiting: list(0...3) { $0.settingsID() })
    }

    mutating func settingsReport() throws -> SettingsReport {
        let outcomes: [CameraSettingsOutcome] = [
            .set(settingsEffect()), .rounded(settingsEffect()), .refused(problem()), .failed(problem()),
            .lost(problem()), .undone(problem()),
        ]
        var report = SettingsReport(
            id: settingsID(), settings: try captureSettings(),
            time: maybe { RigTime(nanoseconds: $0.number(Int64.min...Int64.max)) },
            realtimeNanoseconds: maybe { $0.number(0...Int64.max) },
            cameras: try outcomes.map { outcome in
                CameraSettingsReport(
                    device: try deviceID(), entries: try settingOutcomes(), notes: list(0...3) { $0.sentence() },
                    outcome: outcome)
            },
            leftOut: LeftOutDevices(try list(0...3) { try $0.deviceID() }))
        report.profile = Bool.random(using: &self) ? try profileReference() : nil
        report.undoes = maybe { $0.settingsID() }
        report.undoesRun = maybe { SettingsRunID($0.settingsID().uuid) }
        return report
    }
}

extension SeededGenerator {
    /// A measurement of pictures.
    mutating func controlDelay(_ name: String) -> ControlDelay? {
        let fewest = Int(number(0...30))
        return ControlDelay(
            name, fewest: fewest, most: fewest + Int(number(0...30)),
            middleThousandths: Int(number(0...Int64(ControlDelay.middleLimit))))
    }

    mutating func measurement() -> PictureMeasurement {
        let parts = (0..<10).map { _ in Double(number(0...1000)) / 1000 }
        return PictureMeasurement(
            frames: Int(number(1...64)), first: frameMark(), last: frameMark(),
            linearization: pick(PictureMeasurement.Linearization.allCases),
            encoded: ColorMean(red: parts[0], green: parts[1], blue: parts[2]),
            linear: ColorMean(red: parts[3], green: parts[4], blue: parts[5]), spread: parts[6], drift: -parts[7],
            clippedHigh: parts[8], clippedLow: parts[9],
            picture: maybe { _ in [0xFF, 0xD8] })
    }
}
