import CaptureModel
package import Catalogue
package import Logging
import ShotDocuments
import ShotLogic
package import StorageKit

import class PosixSupport.Locked

/// Answers the requests of all front ends from the rig, the library, the catalogue and the feed.
package final class CoordinatorService: RigService {
    /// Number of answers that may wait to be read. The oldest progress is dropped first.
    static let answerLimit = 16

    let rig: Rig
    let library: ShotLibrary
    let catalogue: any Catalogue
    let libraryWatch: LibraryWatch
    let feed: EventFeed
    let files: StoredFiles
    let pictures: StoredPictures
    /// nil if nothing deletes shots by itself.
    private let retention: RetentionKeeper?
    /// nil for a coordinator without keys.
    private let keys: RigKeys?
    private let auditor: RequestAuditor
    private let log: Logger
    private let admission = Locked(RequestAdmission())
    private let gateways = Locked(GatewayList())
    private let keyCommands = CommandRepeats<NumberedCommand>()
    private let conditionalCommands = CommandRepeats<NumberedCommand>()

    package init(
        rig: Rig, library: ShotLibrary, files: StoredFiles, pictures: StoredPictures, libraryWatch: LibraryWatch,
        catalogue: any Catalogue, feed: EventFeed, retention: RetentionKeeper? = nil, keys: RigKeys? = nil,
        audit: (any RequestAudit)? = nil, log: Logger
    ) {
        self.rig = rig
        self.library = library
        self.files = files
        self.pictures = pictures
        self.libraryWatch = libraryWatch
        self.catalogue = catalogue
        self.feed = feed
        self.retention = retention
        self.keys = keys
        auditor = RequestAuditor(audit)
        self.log = log
    }

    package func perform(_ request: RigRequest) -> AsyncStream<RigAnswer> {
        let (answers, answer) = AsyncStream.makeStream(
            of: RigAnswer.self, bufferingPolicy: .bufferingNewest(Self.answerLimit))
        if let problem = request.missingPermission {
            log.notice(
                "a request is refused",
                metadata: ["principal": "\(request.requester.principal.name)", "request": "\(request.kind.rawValue)"])
            auditor.audit?.refuse(request.kind, to: request.requester)
            answer.yield(.refused(problem))
            answer.finish()
            return answers
        }
        let source = AnswerSource(of: request)
        let requester = request.requester.token
        if let refusal = admission.withLock({ $0.refusal(source, by: requester) }) {
            answer.yield(.refused(RigProblem(.noMemory, refusal)))
            answer.finish()
            return answers
        }
        let admitted = AdmittedRequest { [self] in admission.withLock { $0.end(source, by: requester) } }
        // Unstructured, because a stream has no task. The task ends with the stream. Bounded by the admission.
        let work = Task {
            await self.answer(request, admitted) { answer.yield($0) }
            // The bytes of a file keep their place until they are passed on.
            if !source.hasBytes { admitted.end() }
            answer.finish()
        }
        answer.onTermination = { if case .cancelled = $0 { work.cancel() } }
        return answers
    }

    /// Number of reads refused since the coordinator's start.
    var refusedReads: UInt64 { admission.withLock { $0.refused(.assets) } }

    /// Number of small pictures refused since the coordinator's start.
    var refusedPictures: UInt64 { admission.withLock { $0.refused(.pictures) } }

    private func answer(
        _ request: RigRequest, _ admission: AdmittedRequest, _ reply: @Sendable (RigAnswer) -> Void
    ) async {
        do {
            switch request {
            // Repeated as long as a gateway runs, so not logged each time.
            case .command(.announceGateway(let announcement), let requester, nil):
                reply(try note(announcement, by: requester))
            case .command(let command, let requester, let condition):
                guard condition == nil || command.isVersioned else { throw RigProblem.withoutVersion }
                log(command, by: requester)
                auditor.record(command, by: requester)
                try await carryOut(command, by: requester, if: condition, reply)
            case .query(let query, let requester):
                reply(try await answer(query, by: requester, admission))
            }
        } catch let problem as RigProblem {
            reply(.refused(problem))
        } catch let error as StorageError {
            reply(.refused(RigProblem(error)))
        } catch {
            reply(.refused(RigProblem(.inputOutput, "\(error)")))
        }
    }

    private func log(_ command: RigCommand, by requester: Requester) {
        log.info(
            "a command is received",
            metadata: command.logged.mapValues { "\($0)" }
                .merging(["principal": "\(requester.principal.name)"]) { own, _ in own })
    }

    private func carryOut(
        _ command: RigCommand, by requester: Requester, if condition: ChangeCondition?,
        _ reply: @Sendable (RigAnswer) -> Void
    ) async throws {
        switch command {
        case .trigger(let request):
            try await follow(await rig.trigger(request, by: requester.principal), reply)
        case .stopTake(let request):
            try await follow(await rig.stop(request, by: requester.principal, for: requester.token), reply)
        case .markTake(let request):
            reply(.mark(try await rig.mark(request)))
        case .device(let request):
            for await outcome in await rig.request(request, by: requester.principal) {
                reply(.deviceReply(try outcome.get()))
            }
        case .applySettings(let request):
            reply(.settings(try await rig.apply(request, by: requester.principal)))
        case .cancelSettings(let id):
            reply(.settings(try await rig.cancelSettings(id, by: requester.principal)))
        case .profile(let command):
            reply(try await rig.carryOut(command, by: requester.principal))
        case .forgetDevices(let devices):
            reply(.forgotten(try await rig.forget(devices, by: requester.principal)))
        case .annotate(let id, let edit):
            reply(
                try await once(.edit(id, edit), if: condition, by: requester) { [self] in
                    try await annotate(id, edit, if: condition)
                })
        case .delete(let request):
            reply(
                try await once(.delete(request), if: condition, by: requester) { [self] in
                    .deletedShot(
                        try await rig.delete(request, by: requester.principal, if: isExpected(condition)))
                })
        case .hold(let command):
            reply(
                try await once(.hold(command), if: condition, by: requester) { [rig] in
                    .hold(try await rig.carryOut(command, by: requester.principal, if: condition))
                })
        case .keys(let command):
            let keys = try RigKeys.required(keys)
            let numbered = NumberedCommand(change: .keys(command), condition: condition)
            reply(
                try await keyCommands.once(numbered, by: requester) {
                    try await keys.carryOut(command, by: requester, if: condition)
                })
        case .announceGateway(let announcement):
            reply(try note(announcement, by: requester))
        }
    }

    /// Carries a conditional command out once. Repeats of others have no further effect.
    private func once(
        _ change: NumberedCommand.Change, if condition: ChangeCondition?, by requester: Requester,
        _ carryOut: @escaping @Sendable () async throws -> RigAnswer
    ) async throws -> RigAnswer {
        guard condition != nil else { return try await carryOut() }
        return try await conditionalCommands.once(
            NumberedCommand(change: change, condition: condition), by: requester, carryOut: carryOut)
    }

    private func note(_ announcement: GatewayAddress, by requester: Requester) throws(RigProblem) -> RigAnswer {
        let refusal = gateways.withLock { $0.note(announcement, by: requester.principal.name, at: rig.clock.now()) }
        if let refusal { throw RigProblem(.noMemory, refusal) }
        return .gatewayNoted
    }

    /// Reports the progress of a shot, until its answer.
    private func follow(_ notices: AsyncStream<ShotNotice>, _ reply: @Sendable (RigAnswer) -> Void) async throws {
        var answerDue: LocalTime?
        for await notice in notices {
            switch notice {
            case .progress(let progress, let shot, let due):
                answerDue = due ?? answerDue
                reply(.progress(progress, shot, answerDue: due))
            case .answer(let answered):
                let shot = answered.shot
                // A manifest that this process has written equals the stored one.
                var answer = located(try answered.manifest ?? StoredManifest(writing: shot))
                answer.notConfigured = answered.leftOut?.devices ?? []
                // Last: files that the answer calls settled are where the answer says. The end of a take has no time
                // limit, so its check gets the full timeout from here.
                let checkDue = answerDue ?? rig.clock.now() + rig.settings.timeout
                if shot.status != .open { try await rig.confirm(shot, by: checkDue) }
                reply(.shot(answer))
            case .refused(let problem):
                throw problem
            }
        }
    }
}

/// A command that is carried out once for each number of its requester.
private struct NumberedCommand: Hashable, Sendable {
    enum Change: Hashable, Sendable {
        case edit(ShotID, ShotAnnotationEdit)
        case delete(ShotDeletionRequest)
        case hold(HoldChange)
        case keys(KeyCommand)
    }

    var change: Change
    var condition: ChangeCondition?
}

/// What the answer to a request waits for. Requests of one kind do not use up places of another kind.
enum AnswerSource: Hashable, Sendable {
    /// Nodes: triggers, requests of devices and takes, which the rig limits and refuses itself.
    case nodes
    /// The memory of the coordinator.
    case memory
    /// A disk, which may take long or hang.
    case disk
    /// Parts of stored files, which a separate thread reads.
    case assets
    /// Small pictures, which a separate thread reads, and another makes.
    case pictures
    /// Parts of the audit log, which a separate thread reads.
    case audit

    init(of request: RigRequest) {
        switch request {
        case .command(.trigger, _, _), .command(.device, _, _), .command(.stopTake, _, _), .command(.markTake, _, _),
            .command(.applySettings, _, _), .command(.cancelSettings, _, _), .command(.profile(.save), _, _),
            .query(.heldSettings, _):
            self = .nodes
        // Forgetting saves the roster and removes the received parts of the devices' files. A hold is saved.
        case .command(.annotate, _, _), .command(.delete, _, _), .command(.forgetDevices, _, _), .command(.hold, _, _),
            .command(.keys, _, _),
            .command(.profile(.remove), _, _):
            self = .disk
        case .query(.devices, _), .query(.status, _), .query(.state, _), .query(.keys, _), .query(.sessions, _),
            .query(.identity, _), .query(.pastSettings, _), .command(.announceGateway, _, _):
            self = .memory
        case .query(.assetPart, _): self = .assets
        case .query(.picture, _): self = .pictures
        case .query(.audit, _): self = .audit
        case .query: self = .disk
        }
    }

    /// Whether the answers are bytes of files, and are bounded for each requester.
    var hasBytes: Bool { self == .assets || self == .pictures }
}

/// Answers from memory, library, catalogue and feed.
extension CoordinatorService {
    func answer(
        _ query: RigQuery, by requester: Requester, _ admission: AdmittedRequest
    ) async throws -> RigAnswer {
        switch query {
        case .devices: .devices(await rig.deviceList())
        case .profiles: .profiles(try await rig.profiles())
        case .profile(let reference): .profile(try await rig.profile(reference))
        case .heldSettings(let selection): .heldSettings(try await rig.heldSettings(of: selection))
        case .pastSettings: .pastSettings(await rig.pastSettings())
        case .status: .status(await status())
        case .state: .status(await state())
        case .shots(let page): .shots(try await catalogue.shots(page))
        case .shot(let id): .shot(try await shotAnswer(id))
        case .manifest(let id, let digest, let offset, let limit):
            .manifest(try await manifestPart(of: id, digest, from: offset, limit))
        case .verification(let id): try await verification(of: id)
        case .unclaimedFiles: .unclaimedFiles(try await library.unclaimed())
        case .assetPart(let range): .assetPart(try await files.read(range), admission: admission)
        case .picture(let request): .picture(try await pictures.read(request), admission: admission)
        case .events(let position, let limit): .events(await feed.page(after: position, limit: limit))
        case .keys: .keys(try await RigKeys.required(keys).listing())
        case .sessions: .sessions(try await RigKeys.required(keys).sessions(of: requester))
        case .identity: .identity(requester)
        case .audit(let range): .audit(try await auditor.required().read(range))
        }
    }

    private func status() async -> RigSnapshot {
        var status = await rig.status()
        status.libraryFreeBytes = libraryWatch.freeBytes
        status.librarySilence = libraryWatch.silence
        status.libraryProblem = libraryWatch.problem
        status.retention = retention?.status
        (status.refusedReads, status.refusedPictures) = (refusedReads, refusedPictures)
        status.gateways = gateways.withLock { $0.gateways(at: rig.clock.now()) }
        return status
    }

    private func state() async -> RigSnapshot {
        var status = await status()
        status.devices = await rig.deviceList()
        return status
    }

    private func shotAnswer(_ id: ShotID) async throws -> ShotAnswer {
        var answer = located(try await manifest(id))
        // A damaged annotation does not hide the shot.
        if let annotation = try? await library.annotation(of: id) {
            if !annotation.isEmpty { answer.annotation = annotation }
            answer.version = answer.version(with: annotation)
        }
        return answer
    }

    func located(_ manifest: StoredManifest) -> ShotAnswer {
        ShotAnswer(manifest: manifest, folder: library.folder(of: manifest.shot), library: library.path)
    }

    /// Returns a part of one revision only, so that parts of two are never joined.
    private func manifestPart(
        of id: ShotID, _ digest: ContentDigest, from offset: Int, _ limit: Int
    ) async throws -> ManifestPart {
        guard let bytes = try await library.manifestBytes(of: id) else { throw try await absence(of: id) }
        guard ContentDigest(hashing: bytes) == digest else {
            throw RigProblem(.conflict, "shot \(id) has a newer manifest; request the shot again")
        }
        guard bytes.indices.contains(offset) else {
            throw RigProblem(
                .protocolViolation,
                "the manifest of shot \(id) has \(bytes.count) bytes; there is no byte \(offset)")
        }
        return ManifestPart(
            shot: id, digest: digest, offset: offset, bytes: Array(bytes[offset...].prefix(limit)))
    }

    /// Edits the annotation, if the condition holds for the shot. The store replaces the annotation that was compared, and no other. A manifest
    /// that is stored between the comparison and the change is as one that is stored after the change: neither depends on the other.
    private func annotate(
        _ id: ShotID, _ edit: ShotAnnotationEdit, if condition: ChangeCondition?
    ) async throws -> RigAnswer {
        let answer = located(try await manifest(id))
        let shot = answer.shot
        let strangers = edit.strangers(in: shot)
        if let first = strangers.first {
            throw RigProblem(
                .unknownDevice,
                "shot \(id) has no picture of \(first)\(strangers.count > 1 ? " and \(strangers.count - 1) others" : ""), so none can be "
                    + "rejected; `capctl shots show \(id)` lists its cameras")
        }
        let annotation = try await library.annotate(id, edit, if: isExpected(id, condition))
        catalogue.note(shot)
        return .annotation(annotation, version: answer.version(with: annotation))
    }

    /// Whether the condition holds for a shot with this annotation; nil if there is no condition.
    private func isExpected(
        _ id: ShotID, _ condition: ChangeCondition?
    ) -> (@Sendable (ShotAnnotation) async throws(StorageError) -> Bool)? {
        guard let condition else { return nil }
        return { [self] (annotation) async throws(StorageError) in
            guard let manifest = try await library.manifest(id) else { return false }
            return condition.holds(for: located(manifest).version(with: annotation))
        }
    }

    /// Whether the condition holds for a shot with its annotation; nil if there is no condition.
    private func isExpected(_ condition: ChangeCondition?) -> (@Sendable (StoredManifest) async throws -> Bool)? {
        guard let condition else { return nil }
        return { [self] manifest in
            let annotation = try await library.annotation(of: manifest.shot.id)
            return condition.holds(for: located(manifest).version(with: annotation))
        }
    }

    private func verification(of id: ShotID) async throws -> RigAnswer {
        _ = try await manifest(id)
        return .verification(id, try await library.verify(id))
    }

    private func manifest(_ id: ShotID) async throws -> StoredManifest {
        guard let manifest = try await library.manifest(id) else { throw try await absence(of: id) }
        return manifest
    }

    /// Returns why the library has no manifest of a shot.
    private func absence(of id: ShotID) async throws(StorageError) -> RigProblem {
        try await library.deletion(of: id).map { .deleted($0) } ?? .unknownShot(id)
    }
}

extension RigProblem {
    /// A command has a condition, and what it changes has no version.
    fileprivate static let withoutVersion = RigProblem(
        .preconditionFailed,
        "what this request changes has no version, so no condition can hold for it, and nothing was changed; repeat the request without "
            + "a condition")
}
