import CaptureModel
package import Catalogue
package import Logging
import PosixSupport
import ShotLogic
package import StorageKit

/// Answers the requests of every front end from rig, library, catalogue and feed.
package final class CoordinatorService: RigService {
    /// Requests of one ``AnswerSource`` being answered at a time; further ones are refused, so that none waits in front of a
    /// trigger.
    static let concurrency = 64
    /// Answers that wait to be taken, of which the oldest progress goes.
    static let answerLimit = 16

    let rig: Rig
    let library: ShotLibrary
    let catalogue: any Catalogue
    let libraryWatch: LibraryWatch
    let feed: EventFeed
    private let log: Logger
    /// Requests being answered.
    private let underWay = Locked<[AnswerSource: Int]>([:])

    package init(
        rig: Rig, library: ShotLibrary, libraryWatch: LibraryWatch, catalogue: any Catalogue, feed: EventFeed,
        log: Logger
    ) {
        self.rig = rig
        self.library = library
        self.libraryWatch = libraryWatch
        self.catalogue = catalogue
        self.feed = feed
        self.log = log
    }

    package func perform(_ request: RigRequest) -> AsyncStream<RigAnswer> {
        let (answers, answer) = AsyncStream.makeStream(
            of: RigAnswer.self, bufferingPolicy: .bufferingNewest(Self.answerLimit))
        let source = AnswerSource(of: request)
        guard admit(source) else {
            answer.yield(.refused(Self.busy))
            answer.finish()
            return answers
        }
        // Unstructured, because a stream has no task of its own; it ends with the stream. Bounded as `admit` says.
        let work = Task {
            await self.answer(request) { answer.yield($0) }
            underWay.withLock { $0[source, default: 1] -= 1 }
            answer.finish()
        }
        answer.onTermination = { if case .cancelled = $0 { work.cancel() } }
        return answers
    }

    /// Whether there is room for another request. The rig bounds itself those that wait for nodes.
    private func admit(_ source: AnswerSource) -> Bool {
        underWay.withLock { underWay in
            guard source == .nodes || underWay[source, default: 0] < Self.concurrency else { return false }
            underWay[source, default: 0] += 1
            return true
        }
    }

    private static let busy = CaptureProblem(
        .noMemory, "the coordinator is answering \(concurrency) other requests of this kind; ask again in a moment")

    private func answer(_ request: RigRequest, _ reply: @Sendable (RigAnswer) -> Void) async {
        do {
            switch request {
            case .command(let command, let requester):
                log(command, by: requester)
                try await carryOut(command, by: requester, reply)
            case .query(let query, _):
                reply(try await answer(query))
            }
        } catch {
            reply(.refused(error as? CaptureProblem ?? CaptureProblem(.inputOutput, "\(error)")))
        }
    }

    private func log(_ command: RigCommand, by requester: Requester) {
        log.info(
            "a command is received",
            metadata: command.logged.mapValues { "\($0)" }
                .merging(["principal": "\(requester.principal.name)"]) { own, _ in own })
    }

    private func carryOut(
        _ command: RigCommand, by requester: Requester, _ reply: @Sendable (RigAnswer) -> Void
    ) async throws {
        switch command {
        case .trigger(let request):
            try await follow(await rig.trigger(request, by: requester.principal), reply)
        case .stopTake(let request):
            try await follow(await rig.stop(request, for: requester.token), reply)
        case .markTake(let request):
            reply(.mark(try await rig.mark(request)))
        case .device(let request):
            for await outcome in await rig.request(request) { reply(.deviceReply(try outcome.get())) }
        case .forgetDevices(let devices):
            reply(.forgotten(try await rig.forget(devices)))
        case .annotate(let id, let edit):
            reply(.annotation(try await annotate(id, edit)))
        }
    }

    /// Tells what becomes of a shot, until its answer.
    private func follow(_ notices: AsyncStream<ShotNotice>, _ reply: @Sendable (RigAnswer) -> Void) async throws {
        var answerDue: LocalTime?
        for await notice in notices {
            switch notice {
            case .progress(let progress, let shot, let spread, let due):
                answerDue = due ?? answerDue
                reply(.progress(progress, shot, predictedSpread: spread, answerDue: due))
            case .answer(let shot, let leftOut):
                var answer = located(shot)
                answer.notConfigured = leftOut?.devices ?? []
                // Last: what is answered as settled lies where the answer says. Nothing limits the end of a take: its check
                // has its time from here.
                let checkDue = answerDue ?? rig.clock.now() + rig.settings.timeout
                if shot.status != .open { try await rig.confirm(shot, by: checkDue) }
                reply(.shot(answer))
            case .refused(let problem):
                throw problem
            }
        }
    }
}
