import CaptureModel

/// What is recorded of each command. Queries change nothing, so nothing is recorded of them. docs/audit.md has the table.
extension RigCommand {
    /// nil for a command that only reads, and for one about keys, which `AccessControl` records with what has become of it. That record
    /// does not name a gateway, so a command about keys that came through one is recorded here too.
    func audited(by requester: Requester) -> AuditedRequest? {
        if case .keys(let command) = self, requester.forwarding != nil {
            return AuditedRequest(.change, kind, subject: command.subject)
        }
        return audited
    }

    private var audited: AuditedRequest? {
        switch self {
        case .trigger(let request): request.audited(as: kind)
        case .stopTake(let request):
            AuditedRequest(.trigger, kind, subject: request.take.map { "\($0)" } ?? "running take")
        case .markTake(let request):
            AuditedRequest(
                .change, kind, subject: request.take.map { "\($0)" } ?? "running take", ["text": request.text])
        case .device(let request): request.audited(as: kind)
        case .applySettings(let request):
            AuditedRequest(
                .change, kind, subject: "\(request.id)",
                ["settings": request.told, "selection": request.selection.audited])
        case .cancelSettings(let id): AuditedRequest(.change, kind, subject: "\(id)")
        case .profile(.save(let name, let selection)):
            AuditedRequest(.change, kind, subject: "\(name)", ["selection": selection.audited])
        case .profile(.remove(let name)): AuditedRequest(.deletion, kind, subject: "\(name)")
        case .forgetDevices(let devices):
            AuditedRequest(.deletion, kind, subject: devices.listed, ["count": "\(devices.count)"])
        case .annotate(let shot, let edit): AuditedRequest(.change, kind, subject: "\(shot)", edit.audited)
        case .delete(let request):
            AuditedRequest(
                .deletion, kind, subject: "\(request.shot)", ["onlyCopy": request.evenOnlyCopy ? "allowed" : "refused"])
        case .hold(let command): AuditedRequest(.change, kind, subject: "rig", command.audited)
        case .keys, .announceGateway: nil
        }
    }
}

extension AuditedRequest {
    fileprivate init(_ kind: Kind, _ request: RequestKind, subject: String, _ details: [String: String] = [:]) {
        self.init(
            kind: kind, subject: subject,
            details: details.merging(["request": request.rawValue]) { own, _ in own })
    }
}

extension TriggerRequest {
    fileprivate func audited(as kind: RequestKind) -> AuditedRequest {
        AuditedRequest(.trigger, kind, subject: "\(shot)", ["selection": request.selection.audited])
    }
}

extension Selection {
    /// The filters that are used, and the choice: `devices node1/cam1 node1/cam2; all`.
    fileprivate var audited: String {
        let filters = [("nodes", nodes.listed), ("devices", devices.listed), ("labels", labels.listed)]
        let parts = filters.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1)" }
        return (parts + [mediaType == .video ? choice.audited : "\(mediaType.rawValue) \(choice.audited)"])
            .joined(separator: "; ")
    }
}

extension Selection.Choice {
    fileprivate var audited: String {
        switch self {
        case .all: "all"
        case .matching: "matching"
        case .first(_, per: let scope): "first per \(scope.rawValue)"
        }
    }
}

extension ShotAnnotationEdit {
    /// The title, of a note only that it changes, and the cameras whose pictures are rejected and are no longer.
    fileprivate var audited: [String: String] {
        var details: [String: String] = [:]
        if let title { details["title"] = title }
        if let note { details["note"] = note.isEmpty ? "removed" : "changed" }
        if !reject.isEmpty { details["rejected"] = reject.listed }
        if !accept.isEmpty { details["accepted"] = accept.listed }
        return details
    }
}

extension DeviceRequest {
    fileprivate func audited(as kind: RequestKind) -> AuditedRequest? {
        let subject = "\(subject)"
        return switch command {
        case .canSwitchInput, .describe, .measure, .heldSettings, .listSpool: nil
        case .startSession, .resumeSession, nil: AuditedRequest(.change, kind, subject: subject)
        case .stopSession(let force):
            AuditedRequest(.change, kind, subject: subject, force ? ["force": "true"] : [:])
        case .switchInput(let device): AuditedRequest(.change, kind, subject: subject, ["to": "\(device)"])
        case .setControls(let values):
            AuditedRequest(
                .change, kind, subject: subject,
                ["controls": values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.listed])
        case .keepDelays(let delays):
            AuditedRequest(.change, kind, subject: subject, ["controls": delays.map(\.control).listed])
        case .keepStamps(let correction):
            AuditedRequest(
                .change, kind, subject: subject,
                ["latencyOffsetNanoseconds": "\(correction.latencyOffset.nanoseconds)"])
        case .settings(let id, _): AuditedRequest(.change, kind, subject: subject, ["settings": "\(id)"])
        case .setConnection(let orientation, let isMirrored):
            AuditedRequest(.change, kind, subject: subject, Self.connection(orientation, isMirrored))
        case .align(let request):
            AuditedRequest(.change, kind, subject: subject, ["aligned": request == nil ? "false" : "true"])
        case .discardCaptures(let captures, let isDamaged):
            AuditedRequest(
                .deletion, kind, subject: subject,
                [
                    "captures": captures.listed(separator: ", "),
                    "count": "\(captures.count)", "damaged": "\(isDamaged)",
                ])
        }
    }

    private static func connection(_ orientation: Orientation?, _ isMirrored: Bool?) -> [String: String] {
        var details: [String: String] = [:]
        if let orientation { details["orientation"] = "\(orientation.rawValue)" }
        if let isMirrored { details["mirrored"] = "\(isMirrored)" }
        return details
    }
}

extension Array {
    /// The elements as one text. The log keeps its beginning, so no more of them are written than it could keep.
    fileprivate var listed: String { listed(separator: " ") }

    fileprivate func listed(separator: String) -> String {
        prefix(256).map { "\($0)" }.joined(separator: separator)
    }
}
