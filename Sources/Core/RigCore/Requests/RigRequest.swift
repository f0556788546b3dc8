package import CaptureModel
package import Catalogue
package import RigAccess
package import RigSecurity
package import ShotDocuments
package import ShotLogic
package import StorageKit

/// A request of a front end to the rig, with its requester.
package enum RigRequest: Sendable {
    /// - Parameter condition: The command is carried out only if it holds; nil: in any case.
    case command(RigCommand, by: Requester, if: ChangeCondition? = nil)
    case query(RigQuery, by: Requester)

    package var requester: Requester {
        switch self {
        case .command(_, let requester, _), .query(_, let requester): requester
        }
    }
}

/// The sender of a request.
package struct Requester: Hashable, Sendable {
    package var principal: Principal
    /// The permissions that the front end has verified for this request.
    package var permissions: Set<Permission>
    package var token: RequesterToken
    /// The key that its connection has proved, or of the session's maker; nil without keys.
    package var key: PublicKey?
    /// nil if it is not known.
    package var address: IPAddress?
    /// The number that the requester gave this request, the same in each repeat; nil if it gave none.
    package var requestNumber: UInt64?
    /// Whether the connection's own key is that of a gateway, and the request its own.
    package var isGateway = false
    /// What forwards the request; nil for a request in the name of the connection's own key.
    package var forwarding: Forwarding?

    /// A gateway that makes a request with a session. `principal`, `permissions` and `key` are then those of the session's maker.
    package struct Forwarding: Hashable, Sendable {
        /// The holder of the connection's key.
        package var gateway: Principal
        package var session: Session

        package init(gateway: Principal, session: Session) {
            self.gateway = gateway
            self.session = session
        }
    }

    package init(
        _ principal: Principal, _ permissions: Set<Permission>, _ token: RequesterToken, key: PublicKey? = nil,
        address: IPAddress? = nil, forwarding: Forwarding? = nil
    ) {
        self.principal = principal
        self.permissions = permissions
        self.token = token
        self.key = key
        self.address = address
        self.forwarding = forwarding
    }
}

/// An identifier that distinguishes requesters, independent of the front end. It has no other meaning.
package struct RequesterToken: Hashable, Sendable {
    private let frontEnd: String
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - frontEnd: The name of the front end.
    ///   - bytes: The front end's identifier of the requester.
    package init(frontEnd: String, bytes: [UInt8]) {
        self.frontEnd = frontEnd
        self.bytes = bytes
    }
}

/// A command that changes the rig or the library.
package enum RigCommand: Sendable {
    case trigger(TriggerRequest)
    case stopTake(StopTakeRequest)
    case markTake(MarkTakeRequest)
    /// A request about a device or a node's spool. Some of these only read.
    case device(DeviceRequest)
    case applySettings(SettingsRequest)
    /// Ends a settings transaction before its T.
    case cancelSettings(SettingsID)
    /// Saves or removes a profile of settings.
    case profile(ProfileCommand)
    case forgetDevices([DeviceID])
    /// Changes the annotation of a shot.
    case annotate(ShotID, ShotAnnotationEdit)
    /// Deletes a shot from the library.
    case delete(ShotDeletionRequest)
    /// Holds the rig, or ends that.
    case hold(HoldChange)
    /// Changes the keys of the rig.
    case keys(KeyCommand)
    /// Lists a gateway in the status.
    case announceGateway(GatewayAddress)
}

/// A query about the rig or the library.
package enum RigQuery: Sendable {
    case devices
    case status
    /// The status with the devices.
    case state
    case shots(ShotPage)
    case shot(ShotID)
    /// At most `limit` bytes, starting at `from`, of the manifest with this digest; refused if the shot has another
    /// manifest.
    case manifest(of: ShotID, digest: ContentDigest, from: Int, limit: Int)
    /// Hashes the stored files of a shot.
    case verification(of: ShotID)
    /// Files in the library that belong to no shot.
    case unclaimedFiles
    /// A part of a stored file.
    case assetPart(AssetRange)
    /// A small picture of a stored file.
    case picture(PictureRequest)
    /// At most `limit` events after this one; from the oldest available if nil.
    case events(after: EventPosition?, limit: Int)
    /// The keys of the rig.
    case keys
    /// The requester's sessions; those of all keys for an administrator.
    case sessions
    /// Who makes the request, and what it may do.
    case identity
    /// A part of the audit log.
    case audit(AuditRange)
    /// The profiles of settings.
    case profiles
    case profile(ProfileReference)
    /// What the selected cameras are asked to hold.
    case heldSettings(Selection)
    /// The newest settings transactions that cameras were told to carry out.
    case pastSettings
}

/// A command about a profile of settings.
package enum ProfileCommand: Hashable, Sendable {
    /// Saves what the selected cameras are asked to hold as the next version.
    case save(ProfileName, Selection)
    /// Removes all versions.
    case remove(ProfileName)
}

extension RigCommand {
    /// Whether what the command changes has a version, so that its owner can evaluate a condition.
    var isVersioned: Bool {
        switch self {
        case .annotate, .delete, .hold: true
        case .keys(let command): command.isVersioned
        case .trigger, .stopTake, .markTake, .device, .applySettings, .cancelSettings, .profile, .forgetDevices,
            .announceGateway:
            false
        }
    }

    /// The metadata of the command's log line.
    var logged: [String: String] {
        switch self {
        case .trigger(let request): ["command": "trigger", "shot.id": "\(request.shot)"]
        case .stopTake(let request): ["command": "stop", "shot.id": request.take.map { "\($0)" } ?? "running"]
        case .markTake(let request): ["command": "mark", "shot.id": request.take.map { "\($0)" } ?? "running"]
        case .device(let request): ["command": "device", "device": "\(request.subject)"]
        case .applySettings(let request):
            ["command": "settings", "settings.id": "\(request.id)", "settings": request.told]
        case .cancelSettings(let id): ["command": "cancelSettings", "settings.id": "\(id)"]
        case .profile(.save(let name, _)): ["command": "saveProfile", "profile": "\(name)"]
        case .profile(.remove(let name)): ["command": "removeProfile", "profile": "\(name)"]
        case .forgetDevices(let devices): ["command": "forget", "devices": "\(devices.count)"]
        case .annotate(let shot, _): ["command": "annotate", "shot.id": "\(shot)"]
        case .delete(let request):
            ["command": "delete", "shot.id": "\(request.shot)", "onlyCopy": "\(request.evenOnlyCopy)"]
        case .hold(let command): command.logged
        case .keys(let command): ["command": "keys", "subject": command.subject]
        case .announceGateway(let gateway): ["command": "announceGateway", "address": gateway.address]
        }
    }
}

extension SettingsRequest {
    /// What is requested, for logs: the settings of all cameras, how many have further ones, or where the coordinator has them from.
    var told: String {
        switch origin {
        case .profile(let profile): "profile \(profile)"
        case .undo(let scope):
            (["undo", scope.transaction.map { "\($0)" }].compactMap(\.self) + scope.cameras.map { "\($0)" })
                .joined(separator: " ")
        case nil:
            [settings.description, cameras.isEmpty ? "" : "and those of \(cameras.count) cameras"]
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
    }
}

/// Requests about the roster.
extension Rig {
    func deviceList() -> [DeviceStatus] {
        roster.devices.map { DeviceStatus(device: $0.description, condition: $0.condition) }
    }

    /// Removes devices from the roster.
    /// - Returns: The devices that were in it.
    func forget(_ devices: [DeviceID], by principal: Principal) async throws(RigProblem) -> [DeviceID] {
        try hold.requireNotHeld(against: principal)
        let forgotten = try nodes.forget(devices)
        if !forgotten.isEmpty { await nodes.saveRoster() }
        await ledger.dropWaiting(of: forgotten)
        deliveries.forget(forgotten)
        for device in forgotten {
            await announce(EventName(rawValue: "device.forgotten"), device: device)
            if roster.nodes[device.node]?.agent == nil { await giveUpFiles(of: device) }
        }
        return forgotten
    }

    /// Ends the wait for files that only a forgotten device's node had. If the node returns, they are late.
    private func giveUpFiles(of device: DeviceID) async {
        let problem = RigProblem(.fileLost, "the device '\(device)' was forgotten before its file was collected")
        for key in shots.pendingFiles(of: device) {
            await handle(.storingFailed(key, problem), shot: key.capture.shot)
            await links?.abandon(key)
            await noteEnd(of: key)
        }
    }

    /// Returns the status of the rig, without the library, which the caller adds.
    func status() -> RigSnapshot {
        let held = hold.state
        return RigSnapshot(
            rigClock: clockID, now: now,
            nodes: roster.nodes.sorted { $0.key < $1.key }.map { $1.status(named: $0) }, openShots: shots.count,
            takes: openTakes(), triggerTimeout: settings.timeout, hold: held.status, holdVersion: held.version,
            shotCounts: shots.counts)
    }
}

extension RosterNode {
    fileprivate func status(named node: NodeName) -> NodeStatus {
        NodeStatus(
            node: node, isConnected: agent != nil, clockBound: agent?.clockBound, clock: agent?.clock,
            ringDepth: agent?.ringDepth ?? .zero, spoolUsedBytes: agent?.spoolUsedBytes ?? 0,
            spoolFreeBytes: agent?.spoolFreeBytes ?? 0,
            devices: devices.count, devicesRunning: devices.values.count(where: \.condition.isUsable),
            software: agent?.software ?? "", busLibrary: agent?.busLibrary,
            // The rig's time line is this machine's clock.
            lastHeard: lastHeard.map { RigTime(nanoseconds: $0.nanoseconds) }, frames: agent?.frames,
            pressure: agent?.pressure, spoolShortage: agent?.spoolShortage)
    }
}

/// An answer to a request: any number of `progress`, then exactly one other.
package enum RigAnswer: Sendable {
    /// - Parameter answerDue: The latest instant of the answer; nil if there is no limit.
    case progress(ShotProgressReport, Shot, answerDue: LocalTime?)
    case shot(ShotAnswer)
    case manifest(ManifestPart)
    case mark(SetMark)
    case deviceReply(DeviceReply)
    case settings(SettingsReport)
    case savedProfile(SavedProfile)
    /// Those that remain, in order of name.
    case profiles([ProfileSummary])
    case profile(SettingsProfile)
    case heldSettings(HeldProfile)
    /// Newest first.
    case pastSettings([PastSettings])
    case devices([DeviceStatus])
    /// The forgotten devices that were in the roster.
    case forgotten([DeviceID])
    case status(RigSnapshot)
    case shots(CatalogueListing)
    case verification(ShotID, [VerifyFinding])
    case unclaimedFiles([VerifyFinding])
    /// - Parameter admission: Must be kept until the bytes are passed on.
    case assetPart(AssetPart, admission: AdmittedRequest)
    /// - Parameter admission: As above.
    case picture(PictureAnswer, admission: AdmittedRequest)
    case events(EventPage)
    /// The annotation of a shot after an edit, and the shot's version.
    case annotation(ShotAnnotation, version: ContentDigest)
    /// A shot that was deleted, by this request or an earlier one.
    case deletedShot(ShotDeletion)
    /// The hold after a command about it.
    case hold(HeldState)
    case keys(KeyListing)
    /// An invitation, with the only copy of its code.
    case invitation(Invitation, code: JoinCode)
    case withdrawn(Invitation)
    /// The keys that a command has changed.
    case holders([KeyHolder])
    case declined(JoinRequest)
    case rotation(KeyRotationStatus)
    /// A session, with the only copy of its secret.
    case session(IssuedSession)
    case sessionEnded(Session)
    case sessions([SessionGrant])
    case identity(Requester)
    case gatewayNoted
    /// An encrypted file of the coordinator's keys.
    case exported([UInt8])
    case audit(AuditPart)
    /// The request was not carried out, or it is not known whether it was; the problem says which.
    case refused(RigProblem)
}

/// A shot as recorded in a durable manifest.
package struct ShotAnswer: Sendable {
    package var manifest: StoredManifest
    /// The shot's annotation; nil if there is none.
    package var annotation: ShotAnnotation?
    /// Selected devices of the roster that were left out, because their nodes do not configure them.
    package var notConfigured: [DeviceID] = []
    /// The shot's folder inside the library.
    package var folder: String
    package var library: String
    /// Differs whenever the manifest, its place or the annotation does. nil if the annotation could not be read, and in the answer to a
    /// trigger, which does not have the annotation.
    package var version: ContentDigest?

    package var shot: Shot { manifest.shot }

    func version(with annotation: ShotAnnotation) -> ContentDigest {
        ContentDigest(
            hashing: ["\(manifest.digest)", library, folder, annotation.title, annotation.note]
                + annotation.rejected.map(\.description))
    }
}

/// Consecutive bytes of a manifest.
package struct ManifestPart: Hashable, Sendable {
    package var shot: ShotID
    /// The digest of the complete document.
    package var digest: ContentDigest
    /// Bytes from the start of the document.
    package var offset: Int
    package var bytes: [UInt8]
}

/// A page of the available events.
package struct EventPage: Sendable {
    /// In order of publication, earlier runs of the coordinator first.
    package var events: [FeedEvent]
    /// The newest sequence of this run; 0 if there is none.
    package var lastSequence: UInt64
    /// Whether events between the requested position and the first event here are no longer available.
    package var isTruncated: Bool
}

/// The status of the rig.
package struct RigSnapshot: Sendable {
    package var rigClock: RigClockID
    package var now: RigTime
    /// Every node of the roster, in order of name.
    package var nodes: [NodeStatus]
    package var openShots: Int
    /// Takes in progress, in order of id.
    package var takes: [OpenTake]
    /// The latest time after T at which a trigger without a timeout is answered.
    package var triggerTimeout: Duration
    /// Who holds the rig; nil if nobody does.
    package var hold: HoldStatus?
    /// As ``HeldState/version``.
    package var holdVersion: ContentDigest?
    /// Bytes free for the library, as last reported by its disk; nil if the disk does not report them.
    package var libraryFreeBytes: Int64?
    /// For how long the library's disk has not answered; nil if it answers.
    package var librarySilence: Duration?
    /// Why the library cannot be used; nil if it can.
    package var libraryProblem: RigProblem?
    /// Number of requests for parts of stored files that were refused since the coordinator's start, because too many
    /// were in progress.
    package var refusedReads: UInt64 = 0
    /// Number of small pictures refused since the coordinator's start.
    package var refusedPictures: UInt64 = 0
    /// The gateways that serve the rig.
    package var gateways: [ServingGateway] = []
    package var shotCounts = ShotCounts()
    /// nil if the coordinator deletes no shots by itself.
    package var retention: RetentionStatus?
    /// Every device of the roster with its condition, if the query asks for them.
    package var devices: [DeviceStatus]?
}
