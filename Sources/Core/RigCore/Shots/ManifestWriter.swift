import CaptureModel
import Catalogue
import FaultPoints
import Logging
import Previews
import ShotLogic
import StorageKit

import class PosixSupport.Locked

/// Writes the manifests of shots, those of different shots at the same time, and has the catalogue and the maker of previews look at what it has
/// written. Logs the first failure of a shot's manifest and the end of the failures, not every attempt.
final class ManifestWriter: Sendable {
    private let library: ShotLibrary
    private let catalogue: (any Catalogue)?
    private let previews: PreviewMaker?
    private let log: Logger
    private let shots: AsyncStream<Shot>
    private let next: AsyncStream<Shot>.Continuation
    /// Shots in progress whose last manifest could not be written.
    private let unwritten = Locked<Set<ShotID>>([])

    init(_ library: ShotLibrary, _ catalogue: (any Catalogue)?, _ previews: PreviewMaker?, log: Logger) {
        self.library = library
        self.catalogue = catalogue
        self.previews = previews
        self.log = log
        // Bounded by the shots in progress: each has at most one outstanding write.
        (shots, next) = AsyncStream.makeStream(of: Shot.self)
    }

    /// Has the manifest of a shot written. Does not wait.
    func schedule(_ shot: Shot) { next.yield(shot) }

    /// Writes until the task is cancelled.
    /// - Parameter tell: Called with each shot whose manifest is durable, or with the reason why it is not known to be.
    func run(_ tell: @escaping @Sendable (Shot, RigProblem?) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for await shot in shots {
                group.addTask { await tell(shot, await self.write(shot)) }
            }
            group.cancelAll()
        }
    }

    /// Has the catalogue and the small pictures follow a shot that was deleted.
    func noteDeletion(of shot: Shot) {
        catalogue?.note(shot)
        previews?.note(shot)
    }

    /// A shot is no longer in progress.
    func forget(_ id: ShotID) {
        unwritten.withLock { _ = $0.remove(id) }
    }

    private func write(_ shot: Shot) async -> RigProblem? {
        await RigFault.journal.reached()
        do throws(StorageError) {
            try await library.write(shot)
        } catch {
            let problem = RigProblem(error)
            note(shot.id, problem)
            return problem
        }
        catalogue?.note(shot)
        previews?.note(shot)
        await RigFault.journaled.reached()
        if shot.take?.stopTime != nil { await TakeFault.stopDurable.reached() }
        note(shot.id, nil)
        return nil
    }

    private func note(_ id: ShotID, _ problem: RigProblem?) {
        let hasChanged = unwritten.withLock { shots in
            problem == nil ? shots.remove(id) != nil : shots.insert(id).inserted
        }
        guard hasChanged else { return }
        if let problem {
            log.error("a manifest cannot be written", metadata: ["shot.id": "\(id)", "reason": "\(problem)"])
        } else {
            log.info("a manifest can be written again", metadata: ["shot.id": "\(id)"])
        }
    }
}
