import CaptureModel
import Logging
import ShotDocuments
import StorageKit

/// Deletes shots of the library. docs/design/shot.md has the states.
extension Rig {
    /// Deletes a settled shot. Returns when that is durable; a repeat returns the first deletion.
    /// - Parameter isExpected: Whether the shot is one that the requester knows; nil: it may be any.
    /// - Throws: `held`, `unknownShot`; `conflict` while the shot is in progress, or if it changes at this moment; `onlyCopy` if no other copy is
    ///   known and the request does not allow that; `preconditionFailed` if the shot is not expected; `corrupted`, `inputOutput`, `noSpace`.
    func delete(
        _ request: ShotDeletionRequest, by principal: Principal,
        if isExpected: (@Sendable (StoredManifest) async throws -> Bool)? = nil
    ) async throws -> ShotDeletion {
        let id = request.shot
        try hold.requireNotHeld(against: principal)
        guard let manifest = try await library.manifest(id) else {
            guard let earlier = try await library.deletion(of: id) else { throw RigProblem.unknownShot(id) }
            return earlier
        }
        if let isExpected, try await !isExpected(manifest) { throw RigProblem.hasChanged(id, .preconditionFailed) }
        try requireDeletable(manifest.shot)
        let shortfall = await library.shortfallOfCopies(of: manifest.shot)
        if let shortfall, !request.evenOnlyCopy { throw RigProblem.onlyCopy(manifest.shot, shortfall) }
        let deletion = ShotDeletion(
            of: manifest.shot, at: wallClock.realtimeNanoseconds, by: principal, .requested,
            wasOnlyCopy: shortfall != nil)
        return try await carryOut(deletion, of: manifest.shot)
    }

    /// - Throws: `conflict` while the shot is in progress.
    func requireDeletable(_ shot: Shot) throws(RigProblem) {
        try shots.requireAtRest(shot.id)
        // A manifest that is open and not in progress: another coordinator uses the library, or it was put back by hand.
        guard shot.status != .open else { throw .inProgress(shot) }
    }

    /// Carries out a decided deletion, if the shot is still as it was when that was decided.
    /// - Throws: `conflict` if it is not; `inputOutput`, `noSpace`.
    func carryOut(_ deletion: ShotDeletion, of shot: Shot) async throws -> ShotDeletion {
        let id = shot.id
        try shots.beginDeletion(id)
        defer { shots.endDeletion(id) }
        guard let present = try await library.manifest(id) else {
            guard let earlier = try await library.deletion(of: id) else { throw RigProblem.unknownShot(id) }
            return earlier
        }
        guard present.shot == shot else { throw RigProblem.hasChanged(id, .conflict) }
        // What is being received of it is given up first, since its folder goes.
        for key in shot.files { await links?.abandon(key) }
        try await library.delete(deletion)
        manifests.noteDeletion(of: shot)
        await tell(deletion)
        return deletion
    }

    /// Counts, logs and announces a deletion.
    private func tell(_ deletion: ShotDeletion) async {
        shots.countDeletion(deletion.reason)
        log.notice(
            "a shot is deleted",
            metadata: [
                "shot.id": "\(deletion.shot)", "principal": "\(deletion.by)", "reason": "\(deletion.reason.rawValue)",
                "onlyCopy": "\(deletion.wasOnlyCopy)", "files": "\(deletion.files)", "bytes": "\(deletion.byteCount)",
            ])
        await announce(
            deletion.isTake ? .takeDeleted : .shotDeleted, shot: deletion.shot,
            details: [
                "by": deletion.by, "reason": deletion.reason.rawValue, "onlyCopy": "\(deletion.wasOnlyCopy)",
                "files": "\(deletion.files)", "byteCount": "\(deletion.byteCount)",
            ])
    }

    /// Finishes the deletions that an earlier run has begun. Called before shots are resumed.
    package func finishDeletions() async {
        for (id, outcome) in await library.finishDeletions().sorted(by: { $0.key < $1.key }) {
            switch outcome {
            case .success(let deletion): await tell(deletion)
            case .failure(let error):
                log.error("a deletion cannot be finished", metadata: ["shot.id": "\(id)", "reason": "\(error)"])
            }
        }
    }
}

extension Shot {
    /// Every file that was expected, stored or not.
    fileprivate var files: [FileKey] {
        captures.flatMap { capture in
            capture.files.map { FileKey(capture: CaptureKey(shot: id, device: capture.device.id), kind: $0.kind) }
        }
    }
}

extension RigProblem {
    fileprivate static func onlyCopy(_ shot: Shot, _ shortfall: String) -> RigProblem {
        let noun = shot.noun
        return RigProblem(
            .onlyCopy,
            "the library has the only copy of \(noun) \(shot.id) that is known: \(shortfall). Nothing was deleted; to delete it all the same, "
                + "say so: `capctl \(noun)s delete \(shot.id) --only-copy`, or `onlyCopy=true`")
    }

    fileprivate static func hasChanged(_ id: ShotID, _ code: Code) -> RigProblem {
        RigProblem(
            code, "shot \(id) has changed since it was read, so it was not deleted; read it again, and decide again")
    }
}
