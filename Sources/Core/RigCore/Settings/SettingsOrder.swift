import CaptureModel

/// Which cameras a transaction is for, and what each is asked.
struct SettingsOrder: Hashable, Sendable {
    /// Each once.
    var cameras: [DeviceID]
    /// Of every camera that is not in ``ended``.
    var settings: [DeviceID: CaptureSettings]
    /// The outcomes of cameras that are not asked.
    var ended: [DeviceID: CameraSettingsOutcome] = [:]
    /// The cameras of ``ended`` that get the settings when their nodes join.
    private(set) var away: [DeviceID] = []
    /// The transactions that wait for cameras' starts, the newest first, and are to be dropped before the others are asked.
    var waiting: [DeviceID: [SettingsID]] = [:]
    /// Those of ``waiting`` that cameras have started with, so that they cannot be dropped.
    private(set) var started: [DeviceID: Set<SettingsID>] = [:]
    /// The hardware whose values are requested, by camera of a profile.
    var hardware: [DeviceID: HardwareModel] = [:]
    /// Whether cameras whose nodes do not answer get the settings when they join.
    var mayPostpone = false
    /// Whether these are settings that have waited for nodes, so that what fails for a reason that passes is tried again.
    var isDelivery = false
    var profile: ProfileReference?
    /// The newest transaction that is undone.
    var undoes: SettingsID?
    /// The run that is undone as one; nil for a single transaction.
    var undoesRun: SettingsRunID?
    /// What is undone at each camera, the newest first.
    private(set) var undone: [DeviceID: [SettingsID]] = [:]

    var open: [DeviceID] { cameras.filter { ended[$0] == nil } }

    init(cameras: [DeviceID], settings: [DeviceID: CaptureSettings]) {
        self.cameras = cameras
        self.settings = settings
    }

    /// A request that has its settings.
    /// - Parameter cameras: The selected ones.
    /// - Throws: `unknownDevice` if it has settings of a camera that is not selected; `unsupportedSettings` if a selected one has none, or too
    ///   many.
    init(_ request: SettingsRequest, cameras: [DeviceID]) throws(RigProblem) {
        let missing = Set(request.cameras.keys).subtracting(cameras).sorted()
        guard missing.isEmpty else {
            let names = missing.prefix(8).map(\.description).joined(separator: ", ")
            throw RigProblem(
                .unknownDevice,
                "the request has settings of \(names)\(missing.count > 8 ? " and others" : ""), which the rig does not have or the request does not select; nothing was set, `capctl devices` lists the cameras"
            )
        }
        var settings: [DeviceID: CaptureSettings] = [:]
        for camera in cameras {
            do throws(SettingsTextError) {
                settings[camera] = try request.settings.replacing(with: request.cameras[camera] ?? CaptureSettings())
            } catch {
                throw RigProblem(.unsupportedSettings, "\(camera): \(error)")
            }
            guard settings[camera]?.entries.isEmpty == false else {
                throw RigProblem(
                    .unsupportedSettings,
                    "\(camera) is selected, and the request has no settings for it; add some, or select the other cameras"
                )
            }
        }
        self.init(cameras: cameras, settings: settings)
    }

    /// A profile.
    /// - Parameter present: Whether the rig has a camera.
    init(_ profile: SettingsProfile, present: (DeviceID) -> Bool) {
        self.init(
            cameras: profile.cameras.map(\.device),
            settings: Dictionary(profile.cameras.map { ($0.device, $0.settings) }, uniquingKeysWith: { $1 }))
        self.profile = profile.reference
        for camera in profile.cameras {
            hardware[camera.device] = HardwareModel(make: camera.make, model: camera.model)
            if !present(camera.device) { ended[camera.device] = .refused(Self.absent(camera.device)) }
        }
    }

    /// Refuses a camera that is not the one that a profile has values of.
    /// - Parameter answer: What its node says of it.
    mutating func examine(_ camera: DeviceID, _ answer: Result<HeldSettings, RigProblem>) {
        guard ended[camera] == nil, let saved = hardware[camera] else { return }
        switch answer {
        case .failure(let problem): ended[camera] = .refused(problem)
        case .success(let held):
            // Of a camera that was not open since its agent has started, it is known whose values it is to have.
            let found = held.present.isUnknown ? HardwareModel(make: held.make, model: held.model) : held.present
            guard found != saved else { return }
            ended[camera] = .refused(
                RigProblem(
                    .unsupportedSettings,
                    "\(camera) is \(found), and the profile\(profile.map { " \($0)" } ?? "") has values of \(saved); it was not changed, save a profile with this camera"
                ))
        }
    }

    private static func absent(_ device: DeviceID) -> RigProblem {
        RigProblem(.unknownDevice, "camera '\(device)' has left the rig; `capctl devices` lists the cameras")
    }

    /// Has a camera get the settings when its node joins, or after earlier ones that have waited for that.
    mutating func postpone(_ camera: DeviceID, isAway: Bool = true) {
        away.append(camera)
        ended[camera] = .deferred(
            isAway
                ? RigProblem(
                    .nodeUnreachable,
                    "the agent of node '\(camera.node)' is not connected; \(camera) gets the settings when it joins")
                : RigProblem(.conflict, "\(camera) gets the settings after earlier ones, which it has not got yet"))
    }

    /// Refuses a camera that has not got earlier settings yet.
    mutating func refuse(_ camera: DeviceID, behindOthers isAway: Bool) {
        ended[camera] = .refused(
            RigProblem(
                isAway ? .nodeUnreachable : .conflict,
                "earlier settings wait for \(camera), which come first; try again when it has got them"))
    }

    /// Whether more is to be undone than settings that wait for cameras' starts.
    var asksMoreThanDropping: Bool { cameras.contains { waiting[$0] == nil || settings[$0] != nil } }

    /// Refuses to drop what waits for cameras' starts, beside values that are to be put back all together.
    mutating func refuseDropping() {
        for camera in waiting.keys {
            ended[camera] = .refused(
                RigProblem(
                    .conflict,
                    "settings wait for the start of \(camera), and cannot be dropped together with values that are put back; undo without requiring all"
                ))
        }
        waiting = [:]
    }

    // MARK: Undoing

    /// The values before a transaction or a run. Cameras that have them already, since an earlier undo has given them, are left out. So are
    /// those that have left the rig.
    /// - Parameters:
    ///   - history: Transactions that cameras were told to carry out, oldest first.
    ///   - principal: Who asks. What is named is first looked for among the own transactions, since clients choose ids.
    /// - Returns: nil if there is nothing to undo.
    init?(
        undoing history: [PastSettings], _ scope: UndoScope = .newest, by principal: String,
        present: (DeviceID) -> Bool
    ) {
        let found = SettingsHistory(history).undoing(scope, by: principal) { device in
            present(device) && (scope.cameras.isEmpty || scope.cameras.contains(device))
        }
        guard let found else { return nil }
        self.init(cameras: found.cameras.map(\.device), settings: [:])
        (undoes, undoesRun) = (found.id, found.run)
        for camera in found.cameras {
            undone[camera.device] = camera.transactions
            if camera.isUnknown {
                ended[camera.device] = .refused(
                    RigProblem(
                        .unsupportedSettings,
                        "the values that \(camera.device) had before settings \(found.run?.description ?? "\(found.id)") are not known; it was not changed"
                    ))
                continue
            }
            if let run = camera.cutsOff {
                ended[camera.device] = .refused(
                    RigProblem(
                        .conflict,
                        "earlier transactions of the run of settings \(found.id) are no longer kept, so that only the whole run can be undone at \(camera.device); use `capctl settings undo \(run)`"
                    ))
                continue
            }
            settings[camera.device] = camera.earlier
            if !camera.waiting.isEmpty { waiting[camera.device] = camera.waiting }
        }
    }

    /// Refuses cameras that other transactions have.
    mutating func refuse(busy: Set<DeviceID>) {
        for camera in open where busy.contains(camera) {
            waiting[camera] = nil
            ended[camera] = .refused(
                RigProblem(
                    .conflict,
                    "a settings transaction of \(camera) is in progress; undo it when it has its report"))
        }
    }

    /// A node's answer to dropping settings that waited for a camera's start.
    struct Drop {
        /// Problems with which the settings may wait on, as the node was not asked or could not store it.
        private static let passing: Set<RigProblem.Code> = [.noMemory, .noSpace, .inputOutput, .cancelled]

        var id: SettingsID
        var answer: Result<Void, RigProblem>

        var problem: RigProblem? { if case .failure(let problem) = answer { problem } else { nil } }
        /// Whether it has failed, and the next undo may succeed.
        var mayPass: Bool { problem.map { $0.isOfRelay || Self.passing.contains($0.code) } ?? false }
    }

    /// Notes which of the settings that waited for a camera's start were dropped.
    mutating func drop(_ camera: DeviceID, _ drops: [Drop]) {
        guard let problem = drops.lazy.compactMap(\.problem).first else {
            // Values that it had before, if it may have got the settings all the same.
            if settings[camera] == nil { ended[camera] = .undone(Self.dropped(camera)) }
            return
        }
        ended[camera] = .refused(problem)
        started[camera] = Set(drops.filter { $0.problem != nil && !$0.mayPass }.map(\.id))
    }

    private static func dropped(_ camera: DeviceID) -> RigProblem {
        RigProblem(.cancelled, "\(camera) does not get the settings that waited for its start")
    }

    // MARK: Repeats

    /// What an earlier run of the coordinator has asked.
    init(repeating past: PastSettings) {
        self.init(
            cameras: past.cameras.map(\.device),
            settings: Dictionary(past.cameras.map { ($0.device, $0.settings) }, uniquingKeysWith: { $1 }))
        profile = past.profile
        (undoes, undoesRun) = (past.undoes, past.undoesRun)
        for camera in past.cameras {
            if let id = past.undoes { undone[camera.device] = camera.undone.isEmpty ? [id] : camera.undone }
            if camera.awaitsNode {
                postpone(camera.device)
            } else if camera.outcome == .refused {
                ended[camera.device] = .refused(
                    RigProblem(
                        .cancelled,
                        "\(camera.device) has refused the settings before the coordinator was restarted; use another id"
                    ))
            } else if camera.outcome == .undone, !camera.settings.entries.isEmpty {
                ended[camera.device] = .undone(
                    RigProblem(
                        .cancelled, "the settings of \(camera.device) were undone before the coordinator was restarted")
                )
            } else if camera.settings.entries.isEmpty {
                ended[camera.device] = .undone(Self.dropped(camera.device))
            }
        }
    }
}
