import CameraSettings
import CaptureModel

/// What is not undone of past settings transactions, camera by camera. A value type.
///
/// Of each camera there is a stack: the transactions that it may have, or will get, and that no undo has given back. An undo takes the
/// newest transaction of a stack. If that is part of a run, it takes those of the run that follow it in the stack too, and goes back to the values
/// before all of them. A transaction of others in between ends the run's part of the stack: it is undone before what lies below.
struct SettingsHistory {
    /// Transactions of one camera that are undone together.
    struct Undoing {
        var device: DeviceID
        /// The newest first.
        var transactions: [SettingsID]
        /// Those of them that wait for its start or its node.
        var waiting: [SettingsID]
        /// What gives it the values before all of them; nil if it has got none of them yet, or ``isUnknown``.
        var earlier: CaptureSettings?
        var isUnknown = false
        /// The run whose earlier transactions are no longer kept, and could not be undone after this single one.
        var cutsOff: SettingsRunID?
    }

    fileprivate struct Member {
        var past: PastSettings
        var camera: PastSettings.Camera
        var isUndone: Bool
    }

    /// Oldest first; no undos.
    private let transactions: [PastSettings]
    /// The transactions that each camera may have, or will get, the newest first; also those that are undone.
    private let members: [DeviceID: [Member]]

    private struct UndoneCamera: Hashable {
        var id: SettingsID
        var device: DeviceID
    }

    /// - Parameter past: Transactions that cameras were told to carry out, oldest first.
    init(_ past: [PastSettings]) {
        let transactions = past.filter { $0.undoes == nil }
        let undone = past.reduce(into: Set<UndoneCamera>()) { undone, undo in
            guard let newest = undo.undoes else { return }
            for camera in undo.cameras where camera.isGivenBack {
                for id in camera.undone.isEmpty ? [newest] : camera.undone {
                    undone.insert(UndoneCamera(id: id, device: camera.device))
                }
            }
        }
        self.transactions = transactions
        members = transactions.reversed().reduce(into: [:]) { members, past in
            for camera in past.cameras where camera.mayBeSet {
                let isUndone = undone.contains(UndoneCamera(id: past.id, device: camera.device))
                members[camera.device, default: []].append(Member(past: past, camera: camera, isUndone: isUndone))
            }
        }
    }

    /// Finds what an undo takes.
    /// - Parameters:
    ///   - principal: Who asks. What is named is first looked for among the own transactions.
    ///   - isSelected: Whether a camera may be undone.
    /// - Returns: The newest transaction that is undone, the run if it is undone as one, and its cameras; nil if there is nothing to undo.
    func undoing(
        _ scope: UndoScope, by principal: String, _ isSelected: (DeviceID) -> Bool
    ) -> (id: SettingsID, run: SettingsRunID?, cameras: [Undoing])? {
        var candidates = Array(transactions.reversed())
        if scope.transaction != nil {
            candidates =
                candidates.filter { $0.principal == principal } + candidates.filter { $0.principal != principal }
        }
        for past in candidates
        where scope.transaction.map({ $0 == past.id || scope.names(past.run) }) ?? true {
            let own = past.cameras.map(\.device).filter { isSelected($0) && isOpen($0, of: past) }
            guard !own.isEmpty else { continue }
            guard past.run != nil, scope.transaction != past.id else {
                return (
                    past.id, nil,
                    own.compactMap { device in
                        var undoing = undoing(device, stack(of: device).filter { $0.past.id == past.id }, isRun: false)
                        undoing?.cutsOff = runCutOff(device, by: past)
                        return undoing
                    }
                )
            }
            // A run that is named is undone beneath later transactions, as a single one is.
            let isNamed = scope.names(past.run)
            let devices = transactions.filter { $0.isOfRun(of: past) }.flatMap { $0.cameras.map(\.device) }
            let cameras = Set(devices).sorted().filter(isSelected).compactMap { device in
                let stack = stack(of: device)
                let rest = isNamed ? stack.drop { !$0.past.isOfRun(of: past) } : stack[...]
                return undoing(device, rest.prefix { $0.past.isOfRun(of: past) }.map(\.self), isRun: true)
            }
            return (past.id, past.run, cameras)
        }
        return nil
    }

    /// Returns what gives the cameras of a transaction the values that they had before the earlier transactions of its run.
    func beforeRun(of past: PastSettings) -> [DeviceID: CaptureSettings] {
        guard past.run != nil, past.undoes == nil else { return [:] }
        return past.cameras.reduce(into: [:]) { before, camera in
            guard let top = stack(of: camera.device).first, top.past.isOfRun(of: past) else { return }
            before[camera.device] = top.camera.beforeAll
        }
    }

    /// Whether an undo of its run needs nothing of a transaction: at each camera, those that follow it directly put back the same without it. Those
    /// count whose cameras surely have them, since others may be dropped and undone ones are not undone again.
    func isCovered(_ past: PastSettings) -> Bool {
        guard past.run != nil else { return false }
        return past.cameras.allSatisfy { camera in
            guard isOpen(camera.device, of: past) else { return true }
            let members = members[camera.device] ?? []
            guard camera.outcome != .deferred, let own = members.firstIndex(where: { $0.past.id == past.id }) else {
                return false
            }
            let following = members[..<own].reversed().prefix { $0.past.isOfRun(of: past) && !$0.isUndone }
            let later = Array(following.filter(\.isCertain).reversed())
            guard let without = undoing(camera.device, later, isRun: true),
                let with = undoing(camera.device, later + [members[own]], isRun: true), !with.isUnknown
            else { return false }
            return with.earlier.map { Set($0.entries) } == without.earlier.map { Set($0.entries) }
        }
    }

    /// Returns the run of a transaction, if undoing this one alone at a camera would lose values before earlier ones of the run: they are no longer
    /// kept, and this one has their values.
    private func runCutOff(_ device: DeviceID, by past: PastSettings) -> SettingsRunID? {
        let members = members[device] ?? []
        guard let own = members.firstIndex(where: { $0.past.id == past.id }),
            let before = members[own].camera.beforeRun
        else { return nil }
        // Undone ones of the run have given their values back already.
        let below = members[(own + 1)...].filter { !$0.isUndone || $0.past.isOfRun(of: past) }
            .prefix { $0.past.isOfRun(of: past) }
        guard let kept = undoing(device, Array(below), isRun: true)?.earlier else { return past.run }
        return before.undone(before: kept).map { Set($0.entries) } == Set(kept.entries) ? nil : past.run
    }

    private func isOpen(_ device: DeviceID, of past: PastSettings) -> Bool {
        stack(of: device).contains { $0.past.id == past.id }
    }

    /// The transactions that a camera may have, and that are not undone at it, the newest first.
    private func stack(of device: DeviceID) -> [Member] { (members[device] ?? []).filter { !$0.isUndone } }

    /// - Parameters:
    ///   - members: The newest first.
    ///   - isRun: Whether they are undone as a run, including those of it that are no longer kept.
    private func undoing(_ device: DeviceID, _ members: [Member], isRun: Bool) -> Undoing? {
        guard !members.isEmpty else { return nil }
        var undoing = Undoing(
            device: device, transactions: members.map(\.past.id),
            waiting: members.filter { $0.camera.outcome == .deferred }.map(\.past.id))
        for member in members {
            let before = isRun ? member.camera.beforeAll : member.camera.earlier
            if let before {
                let all: CaptureSettings? = undoing.earlier.map { $0.undone(before: before) } ?? before
                undoing.earlier = all
                undoing.isUnknown = undoing.isUnknown || all == nil
            } else if member.camera.outcome != .deferred {
                undoing.isUnknown = true
            }
        }
        // What waits can be dropped all the same. The next undo says that the others cannot be put back.
        let waiting = members.prefix { $0.camera.outcome == .deferred }.map(\.past.id)
        guard undoing.isUnknown, !waiting.isEmpty else { return undoing }
        return Undoing(device: device, transactions: waiting, waiting: waiting, earlier: nil)
    }
}

extension SettingsHistory.Member {
    /// Whether the camera has the settings, or may have them for good.
    fileprivate var isCertain: Bool { camera.outcome != nil && camera.outcome != .deferred }
}

extension PastSettings {
    /// Whether it is part of the run of another transaction. Runs of others are other runs.
    fileprivate func isOfRun(of other: PastSettings) -> Bool {
        run != nil && run == other.run && principal == other.principal
    }
}

extension PastSettings.Camera {
    /// What gives it the values before this transaction and the earlier ones of its run; nil if that is not known.
    fileprivate var beforeAll: CaptureSettings? {
        guard let earlier else { return outcome == .deferred ? beforeRun : nil }
        return beforeRun.map { earlier.undone(before: $0) } ?? earlier
    }

    /// Whether the camera may have the settings of the transaction, or will get them.
    fileprivate var mayBeSet: Bool {
        guard !isUndoOver else { return false }
        return switch outcome {
        case .refused, .undone: false
        // Nothing to put back.
        case .set, .rounded, .failed, .lost, nil: earlier?.entries.isEmpty != true
        case .deferred: true
        }
    }

    /// Whether an undo has given the camera its earlier values, or will.
    fileprivate var isGivenBack: Bool {
        switch outcome {
        case .set, .rounded, .deferred: true
        // The settings that waited for its start were dropped.
        case .undone: settings.entries.isEmpty
        case .refused, .failed, .lost, nil: false
        }
    }
}

extension CaptureSettings {
    /// Returns what undoes this and what was undone before: of a control that both name, the value of the earlier one. What an automatic mode
    /// chooses that is put back is left out.
    /// - Returns: nil if these are too many.
    fileprivate func undone(before earlier: CaptureSettings) -> CaptureSettings? {
        guard let all = try? replacing(with: earlier) else { return nil }
        var values: [String: Int64] = [:]
        for case .driver(let request) in all.entries { values[request.name] = request.value }
        let automatic = SettingMapping.automatic { values[$0] }
        var undone = CaptureSettings()
        for entry in all.entries {
            if case .driver(let request) = entry, automatic.contains(request.name) { continue }
            guard (try? undone.add(entry)) != nil else { return nil }
        }
        return undone
    }
}
