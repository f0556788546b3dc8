public import CaptureModel
public import RigProtocol
import SwiftProtobuf

extension DeviceCommand {
    public init(wire: WireDeviceRequest.OneOf_Command) throws(WireError) {
        switch wire {
        case .startSession: self = .startSession
        case .stopSession(let command): self = .stopSession(force: command.force)
        case .resumeSession: self = .resumeSession
        case .switchInput(let command):
            self = .switchInput(to: try FieldReader("SwitchInput").name(command.replacement, "replacement"))
        case .canSwitchInput(let command):
            self = .canSwitchInput(to: try FieldReader("CanSwitchInput").name(command.replacement, "replacement"))
        case .describe: self = .describe
        case .measure(let command): self = .measure(try MeasureRequest(wire: command))
        case .keepDelays(let command): self = .keepDelays(try command.checked())
        case .keepStamps(let command):
            self = .keepStamps(
                try StampCorrection(
                    wire: try FieldReader("KeepStamps").present(
                        command.hasCorrection ? command.correction : nil, "correction")))
        case .setControls(let command): self = .setControls(try command.checked())
        case .prepareSettings(let command):
            let reader = FieldReader("PrepareSettings")
            self = .settings(
                try reader.settingsID(command.settingsID), .prepare(try reader.settings(command.settings)))
        case .commitSettings(let command):
            self = .settings(
                try FieldReader("CommitSettings").settingsID(command.settingsID),
                .commit(at: RigTime(nanoseconds: command.rigNs)))
        case .undoSettings(let command):
            self = .settings(
                try FieldReader("UndoSettings").settingsID(command.settingsID), command.giveUp ? .giveUp : .undo)
        case .getHeldSettings: self = .heldSettings
        case .setConnection(let command):
            let (orientation, isMirrored) = try command.checked()
            self = .setConnection(orientation: orientation, isMirrored: isMirrored)
        case .align(let command): self = .align(try AlignmentRequest.checked(command))
        case .listSpool(let command):
            self = .listSpool(
                after: command.hasAfter ? try CaptureKey(wire: command.after) : nil, isDamaged: command.damaged)
        case .discardCaptures(let command):
            let captures = try FieldReader("DiscardCaptures").list(
                command.captures, "captures", limit: WireLimits.inventoryPage)
            self = .discardCaptures(
                try captures.map { (key) throws(WireError) in try CaptureKey(wire: key) }, isDamaged: command.damaged)
        }
    }

    public var wire: WireDeviceRequest.OneOf_Command {
        switch self {
        case .startSession: .startSession(WireStartSession())
        case .stopSession(let force): .stopSession(.with { $0.force = force })
        case .resumeSession: .resumeSession(WireResumeSession())
        case .switchInput(let replacement): .switchInput(.with { $0.replacement = replacement.rawValue })
        case .canSwitchInput(let replacement): .canSwitchInput(.with { $0.replacement = replacement.rawValue })
        case .describe: .describe(WireDescribeDevice())
        case .measure(let request): .measure(request.wire)
        case .keepDelays(let delays): .keepDelays(.with { $0.delays = delays.map(\.wire) })
        case .keepStamps(let correction): .keepStamps(.with { $0.correction = correction.wire })
        case .setControls(let values): .setControls(.with { $0.values = values })
        case .settings(let id, .prepare(let settings)):
            .prepareSettings(
                .with {
                    $0.settingsID = id.wire
                    $0.settings = "\(settings)"
                })
        case .settings(let id, .commit(let time)):
            .commitSettings(
                .with {
                    $0.settingsID = id.wire
                    $0.rigNs = time.nanoseconds
                })
        case .settings(let id, .undo): .undoSettings(.with { $0.settingsID = id.wire })
        case .settings(let id, .giveUp):
            .undoSettings(
                .with {
                    $0.settingsID = id.wire
                    $0.giveUp = true
                })
        case .heldSettings: .getHeldSettings(WireGetHeldSettings())
        case .setConnection(let orientation, let isMirrored):
            .setConnection(
                .with {
                    if let orientation { $0.orientationDegrees = UInt32(orientation.rawValue) }
                    if let isMirrored { $0.mirrored = isMirrored }
                })
        case .align(let request): .align(request?.wire ?? .with { $0.off = true })
        case .listSpool(let after, let isDamaged):
            .listSpool(
                .with {
                    if let after { $0.after = after.wire }
                    $0.damaged = isDamaged
                })
        case .discardCaptures(let captures, let isDamaged):
            .discardCaptures(
                .with {
                    $0.captures = captures.map(\.wire)
                    $0.damaged = isDamaged
                })
        }
    }
}

extension DeviceReply {
    public init(wire: WireDeviceReply) throws(WireError) {
        switch wire.result {
        case .session(let result): self = .session(try SessionResult(wire: result))
        case .switchAnswer(let answer):
            self = .canSwitchInput(answer.hasObjection ? try SwitchObjection(wire: answer.objection) : nil)
        case .details(let details): self = .details(try DeviceDetails(wire: details))
        case .measured(let measurement): self = .measured(try PictureMeasurement(wire: measurement))
        case .delaysKept(let kept): self = .delaysKept(file: kept.file.sentence(limit: WireLimits.reasonByteCount))
        case .controls(let controls): self = .controls(try controls.checked())
        case .settingsPrepared(let preparation):
            self = .settings(.prepared(try SettingsPreparation(wire: preparation)))
        case .settingsApplied(let effect): self = .settings(.applied(try SettingsEffect(wire: effect)))
        case .settingsUndone: self = .settings(.undone)
        case .settingsDeferred(let answer):
            let problem = try FieldReader("SettingsDeferred").present(
                answer.hasProblem ? answer.problem : nil, "problem")
            self = .settings(.deferred(RigProblem(wire: problem)))
        case .heldSettings(let held): self = .held(try HeldSettings(wire: held))
        case .spool(let listing): self = .spool(try SpoolListing(wire: listing))
        case .discarded(let discarded):
            self = .discarded(try FieldReader("DiscardedCaptures").captures(discarded.captures))
        case nil:
            throw FieldReader("DeviceReply").invalid("result", "is absent or of a kind this version does not know")
        }
    }

    public var wire: WireDeviceReply {
        var wire = WireDeviceReply()
        switch self {
        case .session(let result): wire.session = result.wire
        case .canSwitchInput(let objection):
            wire.switchAnswer = .with { if let objection { $0.objection = objection.wire } }
        case .details(let details): wire.details = details.wire
        case .measured(let measurement): wire.measured = measurement.wire
        case .delaysKept(let file): wire.delaysKept.file = file
        case .controls(let values): wire.controls.values = values
        case .settings(.prepared(let preparation)): wire.settingsPrepared = preparation.wire
        case .settings(.applied(let effect)): wire.settingsApplied = effect.wire
        case .settings(.undone): wire.settingsUndone = WireSettingsUndone()
        case .settings(.deferred(let problem)): wire.settingsDeferred = .with { $0.problem = problem.wire }
        case .held(let held): wire.heldSettings = held.wire
        case .spool(let listing): wire.spool = listing.wire
        case .discarded(let captures): wire.discarded.captures = captures.map(\.wire)
        }
        return wire
    }
}

extension SessionResult {
    public init(wire: WireSessionResult) throws(WireError) {
        let reader = FieldReader("SessionResult")
        self.init(
            device: try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            condition: try DeviceCondition(
                wire: try reader.present(wire.hasCondition ? wire.condition : nil, "condition")),
            changes: try reader.list(wire.changes, "changes", limit: WireLimits.labels)
                .map { $0.sentence(limit: WireLimits.reasonByteCount) })
    }

    public var wire: WireSessionResult {
        var wire = WireSessionResult()
        wire.device = device.wire
        wire.condition = condition.wire
        wire.changes = changes
        return wire
    }
}

extension SwitchObjection {
    init(wire: WireSwitchObjection) throws(WireError) {
        let reader = FieldReader("SwitchObjection")
        self.init(
            try reader.word(wire.reason, "reason", as: Reason.self),
            RigProblem(wire: try reader.present(wire.hasProblem ? wire.problem : nil, "problem")))
    }

    var wire: WireSwitchObjection {
        var wire = WireSwitchObjection()
        wire.reason = reason.rawValue
        wire.problem = problem.wire
        return wire
    }
}

extension WireSetConnection {
    /// Checks and returns the requested values; nil leaves a property as it is.
    public func checked() throws(WireError) -> (orientation: Orientation?, isMirrored: Bool?) {
        let reader = FieldReader("SetConnection")
        let orientation = hasOrientationDegrees ? try reader.orientation(orientationDegrees) : nil
        return (orientation, hasMirrored ? mirrored : nil)
    }
}
